// Owns: what it takes two PUs to hand a message over, copied through the caches and past them
// (paper 004, section IV-C); for `xylem topo --copy-threshold A B --measure`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topo/machine.hpp"

namespace xylem::tool {

// Nanoseconds until a message of so many bytes is copied, read and answered; the least of some
// runs.
struct CopyTimes {
  std::uint64_t bytes;
  double through_ns;  // by ordinary stores
  double past_ns;     // by non-temporal stores
};

// Two kernel threads, bound to processors by the kernel's numbers. `sizes` ascend, in whole cache
// lines. Empty: no sizes, no memory, or the threads cannot be bound.
std::vector<CopyTimes> time_copies(int cpu_a, int cpu_b, std::span<const std::uint64_t> sizes);

// The least size from which on all that were measured are sooner past the caches; 0: none is.
std::uint64_t measured_threshold(std::span<const CopyTimes> times);

// A table of sizes around what the formula says of the two PUs, and where past the caches is
// sooner. Empty: it cannot be measured.
std::string measured_copies_text(const topo::Machine& machine, int pu_a, int pu_b);

}  // namespace xylem::tool
