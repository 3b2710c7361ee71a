// Owns: putting data out of the processor's caches, or past them, for measurements of memory behind
// them.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

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

namespace cache_lines {

// The empty assembly keeps the compiler from making a call of memcpy of it, which chooses the way
// itself.
template <class StoreLine>
inline void copy_lines(char* to, const char* from, std::size_t bytes, StoreLine store) {
  for (std::size_t i = 0; i < bytes; i += cache_line_bytes) {
    store(to + i, from + i);
    asm volatile("" ::: "memory");
  }
}

}  // namespace cache_lines

// Precondition of both: all are whole lines, at the beginning of one, and the two ranges do not
// overlap.
inline void copy_through_caches(char* to, const char* from, std::size_t bytes) {
  cache_lines::copy_lines(
      to, from, bytes, [](char* line, const char* of) { std::memcpy(line, of, cache_line_bytes); });
}

// By non-temporal stores, where the processor has them. They are done at the end.
inline void copy_past_caches(char* to, const char* from, std::size_t bytes) {
#if defined(__x86_64__)
  cache_lines::copy_lines(to, from, bytes, [](char* line, const char* of) {
    for (std::size_t at = 0; at < cache_line_bytes; at += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(line + at),
                       _mm_load_si128(reinterpret_cast<const __m128i*>(of + at)));
  });
#else
  copy_through_caches(to, from, bytes);
#endif
  finish_flushes();
}

}  // namespace xylem::os
