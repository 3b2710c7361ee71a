// Owns: the processor's own time counter.
#pragma once

#include <cstdint>

namespace xylem::os {

// True if the counter runs at one rate whatever the processor does, and in step on all of them.
bool ticks_are_steady();

// Once, while nobody else asks for ticks_in().
void begin_counting_ticks();

// So many ticks pass in `ns` nanoseconds (below one hour). 0: that is not known, as it is in the
// first milliseconds after begin_counting_ticks(), and for ever where ticks are not steady.
uint64_t ticks_in(int64_t ns);

#if !defined(__x86_64__)
#error "Xylem runs on x86-64 for now: add this architecture's time counter here."
#endif

// The counter. The processor may read it some nanoseconds before what the caller did last.
inline uint64_t read_ticks_early() { return __builtin_ia32_rdtsc(); }

// The counter, read after all that the caller did before. Some ten nanoseconds.
inline uint64_t read_ticks() {
  asm volatile("lfence" : : : "memory");
  return read_ticks_early();
}

}  // namespace xylem::os
