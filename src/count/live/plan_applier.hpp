// Owns: a plan of an earlier run at work (xylem run --apply): pages of the arrays that it names are
// put in place when the runtime starts, and those of later ones when they are allocated, before the
// program touches them.
//
// Invariant: an array whose size is not that of the plan is left alone and named. A plan of another
// machine or program is refused whole, with a line.
#pragma once

#include "count/saved/saved_plan.hpp"

namespace xylem::count {

// Once in a process, when the runtime starts; no lock of the runtime is held. False: the plan was
// refused.
bool apply_plan(const SavedPlan& plan);
// When the process ends: names arrays of the plan that never came.
void say_missing_arrays();

}  // namespace xylem::count
