// Owns: ticks (os/ticks.hpp) as tests of the scheduler want them.
#pragma once

#include <cstdint>

#include "os/ticks.hpp"

namespace xylem::sched {

// Returns when it is known how long ticks are. False: nobody will ever know.
inline bool await_ticks() {
  os::begin_counting_ticks();
  while (os::ticks_are_steady() && os::ticks_in(1) == 0) continue;
  return os::ticks_are_steady();
}

// The ticks at which one thing after the other ends, minutes apart.
inline uint64_t later() {
  static uint64_t now = 0;
  return now += uint64_t{1} << 40;
}

}  // namespace xylem::sched
