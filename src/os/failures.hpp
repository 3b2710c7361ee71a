// Failures on demand: the n-th call that asks the kernel for memory, a policy or a move fails, so
// that tests can try every n (tests/fail).
//
// Owns: the counter. Only builds with checks have it; in others injected_failure() is 0 at no cost.
#pragma once

#include "base/check.hpp"

namespace xylem::os {

// The `nth` call from now on (1: the next) fails, once, or it and all after it. 0: none. Any
// thread, before the calls that it is about.
void inject_failure(long nth, bool all_after);

// How many calls were counted since the process started.
long counted_calls();

int count_call();  // failures.cpp

// What a system call wrapper of mappings, policies and moves begins with: 0, or the negative errno
// that it is to answer.
inline int injected_failure() {
  if constexpr (base::kChecked) return count_call();
  return 0;
}

}  // namespace xylem::os
