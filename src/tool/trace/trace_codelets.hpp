// What a trace tells of codelets: their names, what they took where, what was copied.
#pragma once

#include <map>
#include <string>

#include "tool/trace/trace_file.hpp"

namespace xylem::tool {

// By number; a codelet without a name, or whose naming was dropped, is "codelet 3".
class CodeletNames {
 public:
  explicit CodeletNames(const Trace& trace);
  std::string of(int64_t number) const;
  // Those that have one.
  const std::map<int64_t, std::string>& all() const { return names_; }

 private:
  std::map<int64_t, std::string> names_;
};

struct TracedDevice {
  std::string name;   // "" where its naming was dropped
  int64_t level = 0;  // at which it stands; the machine where that was dropped
};
// Those that the trace speaks of, by number.
std::map<int64_t, TracedDevice> devices_of(const Trace& trace);

// "main memory", "device 1", "memory node 2": what copies are between, as the trace numbers it.
std::string copied_node_name(int64_t node);

// When a device's kernels ran, one after the other: a kernel is handed over while the one before it
// still runs.
class DeviceKernels {
 public:
  struct Kernel {
    int64_t begin;
    int64_t end;
    int64_t codelet;
  };
  void begin(const TraceEvent& event);
  // The kernel that has ended; its codelet is -1 if its beginning was dropped.
  Kernel end(const TraceEvent& event);

 private:
  struct Device {
    std::vector<Kernel> handed_over;  // the oldest first
    int64_t free_at = 0;
  };
  std::map<int64_t, Device> devices_;
};

// The summary's tables; "" where no codelet ran.
std::string codelets_text(const Trace& trace);

}  // namespace xylem::tool
