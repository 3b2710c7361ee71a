// Owns: from what the user names to a policy: one of the library's, or a file with one from outside
// (include/xylem/policy.h).
#pragma once

#include <array>

#include "policy/policy.hpp"

namespace xylem::omp {

// True if the name means a file: it has a slash or ends in ".so".
bool names_a_file(const char* name);

struct PolicyChoice {
  const policy::Policy* policy = nullptr;  // nullptr: there is none, or it cannot be used
  std::array<char, 400> reason{};          // then: what is wrong, as the end of a line
};

// The policy of that name, or of the file of that name, which is loaded; a path that does not begin
// with a slash starts in the current folder. One thread at a time.
PolicyChoice find_policy(const char* name);

// The same; `cache`, after a warning, where there is none.
const policy::Policy& policy_or_default(const char* name);

}  // namespace xylem::omp
