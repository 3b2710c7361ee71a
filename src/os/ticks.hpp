// Owns: the processor's own time counter.
#pragma once

#include <cstdint>

namespace xylem::os {

// True if the counter runs at one rate whatever the processor does, and in step on all of them.
bool ticks_are_steady();

// The counter, read after all that the caller did before. Some ten nanoseconds.
inline uint64_t read_ticks() {
#if defined(__x86_64__)
  uint32_t low, high;
  asm volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
  return uint64_t{high} << 32 | low;
#else
#error "Xylem runs on x86-64 for now: add this architecture's time counter here."
#endif
}

}  // namespace xylem::os
