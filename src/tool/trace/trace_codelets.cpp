// Codelets of a trace: see trace_codelets.hpp.
#include "tool/trace/trace_codelets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "hetero/data/coherence.hpp"
#include "tool/command/common.hpp"

namespace xylem::tool {

using trace::event;
using trace::Role;

namespace {

std::string letters_of(const TraceEvent& naming) {
  const int64_t words[2] = {naming.of(Role::letters), naming.of(Role::more_letters)};
  char letters[sizeof words + 1] = {};
  std::memcpy(letters, words, sizeof words);
  return printable(letters);
}

}  // namespace

CodeletNames::CodeletNames(const Trace& trace) {
  for (const TraceEvent& happened : trace.events) {
    if (happened.kind() != event("codelet_named")) continue;
    const std::string letters = letters_of(happened);
    if (!letters.empty()) names_[happened.of(Role::codelet)] = letters;
  }
}

std::string copied_node_name(int64_t node) {
  if (node == 0) return "main memory";
  const int64_t numa = node - hetero::first_traced_near_node;
  return numa < 0 ? fmt::format("device {}", node) : fmt::format("memory node {}", numa);
}

std::map<int64_t, TracedDevice> devices_of(const Trace& trace) {
  std::map<int64_t, TracedDevice> devices;
  for (const TraceEvent& happened : trace.events) {
    const int64_t number = happened.of(Role::device);
    if (number < 0) continue;
    TracedDevice& device = devices[number];
    if (happened.kind() == event("device_named")) device.name = letters_of(happened);
    if (happened.kind() == event("device_attached") && trace.has_level(happened.of(Role::level)))
      device.level = happened.of(Role::level);
  }
  return devices;
}

std::string CodeletNames::of(int64_t number) const {
  const auto found = names_.find(number);
  return found != names_.end() ? found->second : fmt::format("codelet {}", number);
}

void DeviceKernels::begin(const TraceEvent& happened) {
  devices_[happened.of(Role::device)].handed_over.push_back(
      {happened.time, 0, happened.of(Role::codelet)});
}

DeviceKernels::Kernel DeviceKernels::end(const TraceEvent& happened) {
  Device& device = devices_[happened.of(Role::device)];
  Kernel kernel{device.free_at, happened.time, -1};
  if (!device.handed_over.empty()) {
    kernel = device.handed_over.front();
    device.handed_over.erase(device.handed_over.begin());
    kernel.begin = std::max(kernel.begin, device.free_at);
    kernel.end = happened.time;
  }
  device.free_at = happened.time;
  return kernel;
}

namespace {

struct Spent {
  uint64_t count = 0;
  int64_t ns = 0;
  void add(int64_t more) {
    ++count;
    ns += more;
  }
};

class Codelets {
 public:
  explicit Codelets(const Trace& trace) : names_(trace), devices_(devices_of(trace)) {
    for (const TraceEvent& happened : trace.events) follow(happened);
  }

  std::string text() const {
    if (by_place_.empty() && copies_.empty()) return "";
    std::string out = "\nCodelets, and copies for them:\n";
    for (const auto& [place, spent] : by_place_) add_line(out, place, spent, "");
    for (const auto& [route, spent] : copies_)
      add_line(out, route, spent, fmt::format(" {:>14} bytes", bytes_.at(route)));
    if (!memory_.empty()) out += "\nMemory of devices that codelets' data takes, at most:\n";
    for (const auto& [device, memory] : memory_)
      out += fmt::format("  {:<32} {:>14} bytes of {}\n",
                         fmt::format("device {} ({})", device, devices_.at(device).name),
                         memory.most, memory.capacity);
    return out;
  }

 private:
  static void add_line(std::string& out, const std::string& name, const Spent& spent,
                       const std::string& more) {
    out += fmt::format("  {:<32} {:>9} {:>12.3f} ms{}\n", name, spent.count,
                       static_cast<double>(spent.ns) / 1e6, more);
  }

  static std::string route_of(const TraceEvent& happened) {
    return fmt::format("{} to {}", copied_node_name(happened.of(Role::from_node)),
                       copied_node_name(happened.of(Role::to_node)));
  }

  // Of copies on one route at the same time the sum is right, whichever ends first; so of codelets
  // on one executor, which is several threads beside devices.
  void follow(const TraceEvent& happened) {
    switch (happened.kind()) {
      case event("codelet_begin"):
        running_[happened.of(Role::executor)].push_back(happened);
        return;
      case event("codelet_end"):
        return end_codelet(happened);
      case event("kernel_begin"):
        return kernels_.begin(happened);
      case event("kernel_end"):
        return end_kernel(happened);
      case event("copy_begin"):
        copying_[route_of(happened)].push_back(happened);
        return;
      case event("copy_end"):
        return end_copy(happened);
      case event("device_memory"):
        return memory_[happened.of(Role::device)].see(happened);
      default:
        return;
    }
  }

  void end_codelet(const TraceEvent& happened) {
    std::vector<TraceEvent>& begun = running_[happened.of(Role::executor)];
    if (begun.empty()) return;
    by_place_[names_.of(begun.front().of(Role::codelet)) + ", processors"].add(happened.time -
                                                                               begun.front().time);
    begun.erase(begun.begin());
  }

  void end_kernel(const TraceEvent& happened) {
    const DeviceKernels::Kernel kernel = kernels_.end(happened);
    if (kernel.codelet < 0) return;
    by_place_[fmt::format("{}, device {}", names_.of(kernel.codelet), happened.of(Role::device))]
        .add(kernel.end - kernel.begin);
  }

  void end_copy(const TraceEvent& happened) {
    const std::string route = route_of(happened);
    std::vector<TraceEvent>& begun = copying_[route];
    if (begun.empty()) return;
    copies_[route].add(happened.time - begun.front().time);
    bytes_[route] += begun.front().of(Role::bytes);
    begun.erase(begun.begin());
  }

  struct Memory {
    int64_t most = 0;
    int64_t capacity = 0;
    void see(const TraceEvent& happened) {
      most = std::max(most, happened.of(Role::used));
      capacity = happened.of(Role::capacity);
    }
  };

  CodeletNames names_;
  std::map<int64_t, TracedDevice> devices_;
  std::map<int64_t, Memory> memory_;  // by device
  DeviceKernels kernels_;
  std::map<int64_t, std::vector<TraceEvent>> running_;      // by executor
  std::map<std::string, std::vector<TraceEvent>> copying_;  // by route
  std::map<std::string, Spent> by_place_;
  std::map<std::string, Spent> copies_;
  std::map<std::string, int64_t> bytes_;
};

}  // namespace

std::string codelets_text(const Trace& trace) { return Codelets(trace).text(); }

}  // namespace xylem::tool
