// Owns: writing and reading kept links. See links_file.hpp.
#include "hetero/driver/links_file.hpp"

#include <cstdio>

#include "os/kept_file.hpp"

namespace xylem::hetero {

namespace {

constexpr std::string_view first_line = "xylem links 1";

Links::Link as_kept(const Links::Link& link) {
  return {link.direct, os::as_kept(link.fixed_ns), os::as_kept(link.ns_per_byte)};
}

void append_link(std::vector<char>& text, const Links::Link& link) {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "%lld %lld ", os::kept_time(link.fixed_ns),
                os::kept_time(link.ns_per_byte));
  os::append(text, numbers);
}

void append_device(std::vector<char>& text, const KeptLinks& device) {
  append_link(text, device.links.to);
  append_link(text, device.links.from);
  os::append_on_one_line(text, device.name.data());
  os::append(text, "\n");
}

bool next_link(std::string_view& line, Links::Link& link) {
  long long fixed = 0;
  long long byte = 0;
  if (!os::next_number(line, os::most_of_kept_time, fixed) ||
      !os::next_number(line, os::most_of_kept_time, byte))
    return false;
  link = {true, os::time_of_kept(fixed), os::time_of_kept(byte)};
  return true;
}

bool parse_device(std::string_view line, KeptLinks& device) {
  if (!next_link(line, device.links.to) || !next_link(line, device.links.from)) return false;
  if (line.empty() || line.size() >= device.name.size() || line.find('\0') != line.npos)
    return false;
  line.copy(device.name.data(), line.size());
  return true;
}

}  // namespace

os::PathBuffer links_path(const char* cache_folder, uint64_t machine_key) {
  return os::kept_path(cache_folder, "links", machine_key);
}

DeviceLinks as_kept(const DeviceLinks& links) { return {as_kept(links.to), as_kept(links.from)}; }

std::vector<char> links_text(std::span<const KeptLinks> devices) {
  return os::rows_text(first_line, devices, append_device);
}

bool parse_links(std::string_view text, std::vector<KeptLinks>& devices) {
  return os::parse_rows(text, first_line, devices, parse_device);
}

std::vector<KeptLinks> read_links(const char* path) {
  std::vector<char> text;
  std::vector<KeptLinks> devices;
  if (os::read_all(path, text) == 0) parse_links({text.data(), text.size()}, devices);
  return devices;
}

int write_links(const char* path, std::span<const KeptLinks> devices) {
  const std::vector<char> text = links_text(devices);
  return os::write_kept_file(path, {text.data(), text.size()});
}

}  // namespace xylem::hetero
