// The affinity format of OpenMP 5.1 (affinity-format-var, section 2.4 and 3.3.8-3.3.11): checking
// and expanding it. Pure functions.
//
// A field is %[0][.][width]type or %[0][.][width]{long_name}. '.' justifies to the right, '0' pads
// numbers with zeros; %% is a percent sign. For programs built with LLVM a field of unknown type is
// the word "undefined", and a zero may stand without a point, where it means nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "omp/env/door.hpp"

namespace xylem::omp {

inline constexpr const char* default_affinity_format = "level %L thread %i affinity %A";
inline constexpr const char* default_llvm_affinity_format =
    "OMP: pid %P tid %i thread %n bound to OS proc set {%A}";

// What the fields expand to.
struct AffinityFields {
  int team_num = 0;
  int num_teams = 1;
  int nesting_level = 0;
  int thread_num = 0;
  int num_threads = 1;
  int ancestor_thread_num = -1;
  const char* host = "";
  long process_id = 0;
  long native_thread_id = 0;
  std::span<const int> os_indices;  // ascending; printed as 0-3,8
};

// Null when the format is well formed, else why not.
const char* check_affinity_format(std::string_view format, Door door = Door::gnu);

// Writes the expansion, cut to room - 1 characters and ended by a zero (nothing when room is 0).
// Returns the length of the whole expansion, without the zero. Malformed fields are copied as text.
std::size_t expand_affinity_format(char* buffer, std::size_t room, std::string_view format,
                                   const AffinityFields& fields, Door door = Door::gnu);

}  // namespace xylem::omp
