// Owns: how often the monitor polls.
#pragma once

#include <algorithm>
#include <cstdint>

namespace xylem::sched {

// Nanoseconds between two polls of the monitor while something waits (twice as long while nothing
// does), for time slices of so many: short enough that a slice ends at most half its length late,
// but never below 50 microseconds, at which a timer of the kernel's still keeps its time.
constexpr int64_t poll_period(int64_t time_slice_ns) {
  constexpr int64_t shortest = 50'000, longest = 1'000'000;
  return std::clamp(time_slice_ns / 2, shortest, longest);
}

}  // namespace xylem::sched
