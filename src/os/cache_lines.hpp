// Owns: putting data out of the processor's caches, for measurements of memory behind them.
#pragma once

#include <cstddef>

namespace xylem::os {

inline constexpr std::size_t cache_line_bytes = 64;

// The line that holds the byte goes out of every cache of the machine, written back if need be.
inline void flush_line(const void* address) {
#if defined(__x86_64__)
  __builtin_ia32_clflush(address);
#endif
}

// Waits until flushes and stores before are done.
inline void finish_flushes() {
#if defined(__x86_64__)
  __builtin_ia32_mfence();
#endif
}

}  // namespace xylem::os
