// Owns: what access to a piece costs processors whose memory node has no copy of it, beside what a
// copy of their own would cost (paper 000, section 3.2: by measured costs). Pure.
#pragma once

#include <cstddef>

#include "plan/costs.hpp"

namespace xylem::hetero {

constexpr int unknown_node = -1;

// Numbers are the machine's, of memory nodes. What lies nobody knows where counts as near to all.
struct NearAccess {
  // Smaller pieces have no copies of their own: a page is the least that lies anywhere.
  static constexpr size_t least_bytes = 4096;
  // What the kernel takes to give a page of zeros: 1.6 us on a busy virtual machine.
  static constexpr double fresh_page_ns = 1600;

  const plan::Costs* costs = nullptr;  // lives as long as the memories
  // The memory node that has most of these bytes; unknown_node: they were not touched yet.
  int (*locate)(const void* start, size_t bytes) = nullptr;
  // The near node of the processor that the caller runs on, as memories number it; main memory: it
  // has none.
  int (*here)() = nullptr;

  // Nanoseconds that a processor near `near` spends on one pass over bytes on node `at`, beyond
  // what it would on its own node.
  double away_ns(int near, int at, size_t bytes) const;
  // Nanoseconds for a copy on node `near` of bytes on node `at`. `fresh`: into pages that are not
  // there yet.
  double copy_ns(int near, int at, size_t bytes, bool fresh) const;
};

}  // namespace xylem::hetero
