// Owns: what the interposing library is offered (wait/scheduler.hpp): waiting on a fiber in place
// of a kernel thread.
#pragma once

namespace xylem::sched {

// Offers it to libxylem-wait.so if that is in the process. Called when the library is loaded, and
// in a forked child.
void offer_waits();

}  // namespace xylem::sched
