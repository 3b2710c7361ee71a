// Owns: reading the kernel's descriptions. See pmu_events.hpp.
#include "count/source/pmu_events.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "os/files.hpp"

namespace xylem::count {

namespace {

std::optional<uint64_t> number(std::string_view text) {
  text = os::trim(text);
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// "0-7" or "3": the bits take the lowest of `value`, which loses them.
bool put_bits(std::string_view bits, uint64_t& value, uint64_t& word) {
  const auto first = number(os::next_part(bits, '-'));
  const auto last = bits.empty() ? first : number(bits);
  if (!first || !last || *last < *first || *last > 63) return false;
  const uint64_t count = *last - *first + 1;
  const uint64_t mask = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  word |= (value & mask) << *first;
  value = count == 64 ? 0 : value >> count;
  return true;
}

// A file of the device; empty: there is none.
class Device {
 public:
  Device(std::string_view root, std::string_view name) : path_(root) {
    path_.append("/sys/bus/event_source/devices/").append(name).append("/");
  }
  std::string_view read(std::string_view folder, std::string_view file) {
    os::PathBuffer path = path_;
    path.append(folder).append(file);
    const int bytes = os::read_file(path.c_str(), text_);
    return bytes <= 0 ? std::string_view{}
                      : os::trim({text_.data(), static_cast<std::size_t>(bytes)});
  }

 private:
  os::PathBuffer path_;
  std::array<char, 256> text_{};
};

// "event=0xcd,umask=0x1,ldlat=3"; a term without a value is 1.
bool put_terms(Device& device, std::string_view terms, os::SampledEvent& event) {
  while (!terms.empty()) {
    std::string_view value = os::next_part(terms, ',');
    const std::string_view name = os::trim(os::next_part(value, '='));
    const auto wanted = value.empty() ? std::optional<uint64_t>(1) : number(value);
    if (!wanted || !put_term(device.read("format/", name), *wanted, event)) return false;
  }
  return true;
}

bool describe(Device& device, std::string_view name, os::SampledEvent& event) {
  const auto type = number(device.read("", "type"));
  if (!type) return false;
  event.type = static_cast<uint32_t>(*type);
  const std::string_view text = device.read("events/", name);
  std::array<char, 256> terms{};  // the device has one buffer
  text.copy(terms.data(), terms.size() - 1);
  return !text.empty() && put_terms(device, terms.data(), event);
}

// Intel's processors since Sapphire Rapids want loads in a group that mem-loads-aux leads.
std::vector<os::SampledEvent> events_of_intel(Device device, uint64_t rate) {
  std::vector<os::SampledEvent> events;
  os::SampledEvent loads{.rate = rate}, stores{.rate = rate}, leader;
  if (!describe(device, "mem-loads", loads)) return {};
  if (describe(device, "mem-loads-aux", leader)) {
    loads.has_leader = true;
    loads.leader_config = leader.config[0];
  }
  events.push_back(loads);
  if (describe(device, "mem-stores", stores)) events.push_back(stores);
  return events;
}

// All operations are sampled; those that access no memory have no address.
std::vector<os::SampledEvent> events_of_amd(Device device, uint64_t rate) {
  const auto type = number(device.read("", "type"));
  os::SampledEvent event{.rate = rate};
  if (!type || !put_term(device.read("format/", "cnt_ctl"), 1, event)) return {};
  event.type = static_cast<uint32_t>(*type);
  return {event};
}

}  // namespace

bool put_term(std::string_view format, uint64_t value, os::SampledEvent& event) {
  const std::string_view word = os::trim(os::next_part(format, ':'));
  constexpr std::array<std::string_view, 3> words{"config", "config1", "config2"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (word != words[i]) continue;
    do {
      if (!put_bits(os::next_part(format, ','), value, event.config[i])) return false;
    } while (!format.empty());
    return value == 0;
  }
  return false;
}

bool parse_event(std::string_view text, os::SampledEvent& event) {
  if (text.ends_with(':')) return false;
  const auto type = number(os::next_part(text, ':'));
  if (!type || *type > UINT32_MAX) return false;
  event.type = static_cast<uint32_t>(*type);
  for (uint64_t& word : std::span(event.config).first(2)) {
    if (text.empty()) return &word != &event.config[0];
    const auto value = number(os::next_part(text, ':'));
    if (!value) return false;
    word = *value;
  }
  return text.empty();
}

std::vector<os::SampledEvent> memory_events(std::string_view root, uint64_t rate) {
  for (const std::string_view name : {"cpu", "cpu_core"})
    if (auto events = events_of_intel(Device(root, name), rate); !events.empty()) return events;
  return events_of_amd(Device(root, "ibs_op"), rate);
}

}  // namespace xylem::count
