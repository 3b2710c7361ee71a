// Owns: putting what may run into the queue of the keeper that it belongs to (queue/holder.hpp).
#pragma once

#include "sched/queue/holder.hpp"

namespace xylem::sched {

class Pool;

// Puts what may run into its keeper's queue, and wakes whoever may look there.
void keep(Pool& pool, Share& share);
void keep(Pool& pool, Fiber& fiber);
// True if the fiber belongs to a keeper, which now has it; a guest's only while it lies aside.
bool keep_if_kept(Fiber& fiber);

}  // namespace xylem::sched
