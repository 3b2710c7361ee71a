// Owns: libxylem-instrument.so, the exact and slow source of accesses: what programs call that are
// compiled with the compilers' own instrumentation, and the counts of pages by threads that it
// writes when the process ends, to the file that XYLEM_ACCESSES names (docs/counting.md).
//
// Invariant: each access is counted once on each page that it touches, for the OpenMP thread that
// made it. A thread is its number in the outermost region; 0 outside of regions, and for other
// threads.
#pragma once

#include <cstddef>

namespace xylem::instrument {

enum class Kind : unsigned char { read, write };

// Any thread, at any time, also before main() and after exit().
void count_access(const volatile void* address, std::size_t bytes, Kind kind);
// Of a block of memory: an access for each 8 bytes of it.
void count_block(const volatile void* address, std::size_t bytes, Kind kind);

}  // namespace xylem::instrument
