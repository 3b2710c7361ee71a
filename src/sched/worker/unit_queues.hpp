// Owns: putting what may run into the queue of the unit that it belongs to (queue/group.hpp).
#pragma once

#include "sched/queue/group.hpp"

namespace xylem::sched {

class Pool;

// Puts what may run into its unit's queue, and wakes whoever may look there.
void push_to_unit(Pool& pool, SeedRange& seeds);
void push_to_unit(Pool& pool, Fiber& fiber);
// True if the fiber belongs to a unit, which now has it; an external thread's only while it is
// suspended.
bool push_if_in_unit(Fiber& fiber);

}  // namespace xylem::sched
