// Showing the affinity of the calling thread (OpenMP 5.1, section 3.3.8 to 3.3.11).
//
// Owns affinity-format-var. Invariant: it is never null and only changed under its lock.
#pragma once

#include <cstddef>
#include <string_view>

#include "omp/env/door.hpp"

namespace xylem::omp {

void set_affinity_format(std::string_view format);

// Both write at most room - 1 characters and a zero (nothing when room is 0), and return the length
// of the whole text. An empty format means affinity-format-var, which begins by the door.
std::size_t get_affinity_format(char* buffer, std::size_t room, Door door);
std::size_t capture_affinity(char* buffer, std::size_t room, std::string_view format, Door door);

// One line on standard error; on standard output for LLVM's programs. The team code calls it with
// "" for OMP_DISPLAY_AFFINITY, on each thread of a team whose threads or places have changed.
void display_affinity(std::string_view format, Door door);

}  // namespace xylem::omp
