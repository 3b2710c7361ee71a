// Owns: preemption: threads of a unit whose turn is over, and that come by no scheduling point, are
// stopped until it has its turn again (paper 002, section 2.3.2: a gang gives its processors up).
//
// The monitor interrupts the worker's kernel thread, which then sleeps inside the signal's handler,
// with the fiber on it; an extra worker runs at the PU meanwhile. Where the thread is in the
// runtime or in libc, as it may hold a lock of theirs, it is asked again 20 ms later. A lock of the
// program's, or of another library, it may hold: others wait for it until the unit has its turn.
// So that nobody waits for ever, who is stopped goes on when the monitor does not poll any more.
#pragma once

#include <cstdint>

#include "sched/worker/pool.hpp"

namespace xylem::sched {

// By the monitor, after turns were given. Precondition: the policy gives turns.
void stop_late_threads(Pool& pool, int64_t now_ns);

// The unit is not suspended any more: who is stopped goes on. After its level was written.
void let_stopped_go_on(Group& unit);

}  // namespace xylem::sched
