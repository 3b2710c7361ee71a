// Owns: what is timed to learn what access costs: chains of lines and streams, and the pages that
// they lie on.
#pragma once

#include <cstddef>
#include <span>

#include "os/numa.hpp"

namespace xylem::mem {

// Pages for a measurement, mapped and touched by place(); unmapped at the end.
class ProbeArea {
 public:
  explicit ProbeArea(std::size_t bytes, bool huge);
  ~ProbeArea();
  ProbeArea(const ProbeArea&) = delete;
  ProbeArea& operator=(const ProbeArea&) = delete;

  bool is_there() const { return start_ != nullptr; }
  char* start() const { return start_; }
  std::size_t bytes() const { return bytes_; }

  // Touches every page by the calling thread, after asking for the kernel's node (-1: wherever). 0,
  // or a negative errno: the kernel refuses to place, or (-EIO) the pages came to be elsewhere.
  int place(int kernel_node);
  // The same with pages that come from the kernel's nodes in turn; where they came to be is not
  // looked at.
  int place_over(const os::NodeSet& kernel_nodes);
  // Puts what a stream reads or writes out of the caches.
  void flush() const;

 private:
  void touch();
  int look_where(int kernel_node) const;

  char* start_ = nullptr;
  std::size_t bytes_ = 0;
};

struct AccessTimes {
  double read_latency_ns = 0;
  double write_latency_ns = 0;
  double read_ns_per_byte = 0;
  double write_ns_per_byte = 0;
};
// Times of the calling thread on the region's memory, the least of several runs. What is accessed
// is put out of the caches before each, so that the region may be small.
AccessTimes time_access(const ProbeArea& region);

// Nanoseconds a byte of one stream through the region's memory, as it is in the caches.
double time_reading(const ProbeArea& region);
double time_writing(const ProbeArea& region);

// Nanoseconds of moving the first `pages` pages from one of the kernel's nodes, where they are, to
// the other; < 0: not all came there.
double time_move(const ProbeArea& region, std::size_t pages, int to_kernel_node);

}  // namespace xylem::mem
