// Owns: how the fiber of a solo worker waits. A solo worker runs one fiber alone, on the kernel
// thread that is that fiber's: an external thread without a slot, or a member of a team whose
// members are kernel threads (kept_threads.hpp). It serves no queue. While its fiber waits the
// kernel thread sleeps, and the kernel divides the processors.
#pragma once

#include "sched/queue/fiber.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {

// suspend() and make_ready() of a solo worker's fiber.
void wait_alone(Fiber& fiber, AfterSwitch after, void* argument);
// False if the fiber does not wait that way.
bool wake_alone(Fiber& fiber);
// Whether the solo worker's fiber waits. A hint.
bool waits_alone(const Worker& worker);

}  // namespace xylem::sched
