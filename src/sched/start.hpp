// Owns: joining the rooms of the scheduler, which know only those before them.
#pragma once

#include "sched/worker/pool.hpp"

namespace xylem::sched {

// What the pool asks of the rooms after its own: the search for work, groups that wait for a turn,
// what the monitor looks at.
void connect(PoolSettings& settings);

}  // namespace xylem::sched
