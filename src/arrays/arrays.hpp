// Owns: the table of the program's large blocks (os/arrays_library.hpp).
//
// Invariant: a block is in the table from before its allocation returns until before it is given
// back. No lock: slots change hands by one word, so that a child of fork() finds a usable table
// whatever the other threads did. Nothing here allocates or changes errno. A full table leaves
// blocks out.
//
// Holds and changes exclude each other: who holds says so and then looks for changes, who changes
// says so and then looks for a hold. Both are sequentially consistent, so one of them sees the
// other; the holder gives up, the changer waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/arrays_library.hpp"

namespace xylem::arrays {

// The block is the program's from now on; one that is known to begin there is forgotten.
void record(void* start, std::size_t bytes, uintptr_t site);
// A change of mappings, or of what they hold, that is not known to be one of a known block's alone.
// Nothing is held while it lives (os::HoldArray).
class Change {
 public:
  Change();
  ~Change();
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
};

// The block that begins there, if it is known, is about to go, once it is not held. A few
// instructions if it is not known.
void forget(const void* start);
// All blocks that have a byte in the range are about to go. By the owner of a Change.
void forget_range(const void* start, std::size_t bytes);

inline bool is_large(std::size_t bytes) { return bytes >= os::least_array_bytes; }

}  // namespace xylem::arrays
