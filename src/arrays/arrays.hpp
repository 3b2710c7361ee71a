// Owns: the table of the program's large blocks (os/arrays_library.hpp).
//
// Invariant: a block is in the table from before its allocation returns until before it is given
// back. No lock: slots change hands by one word, so that a child of fork() finds a usable table
// whatever the other threads did. Nothing here allocates or changes errno. A full table leaves
// blocks out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/arrays_library.hpp"

namespace xylem::arrays {

// The block is the program's from now on; one that is known to begin there is forgotten.
void record(void* start, std::size_t bytes, uintptr_t site);
// The block that begins there, if it is known, is about to go. A few instructions if it is not.
void forget(const void* start);
// All blocks that have a byte in the range are about to go.
void forget_range(const void* start, std::size_t bytes);

inline bool is_large(std::size_t bytes) { return bytes >= os::least_array_bytes; }

}  // namespace xylem::arrays
