// Owns: workers that stay on their own processors.
//
// A plan of told loads gives each PU its share of the work, and nobody steals from it
// (Bubble::held). Two shares on one processor take twice the time of all others, and the kernel
// moves threads as it likes within a node. So a worker goes to its PU's processor when a held fiber
// begins or goes on there, and the monitor brings it there if meanwhile it came to where another
// worker has its processor. Its affinity is what it was. Other programs may use that processor:
// whom the kernel takes away again soon comes back less and less often, unless it is in another
// worker's way. Where threads are moved at all (parting.hpp).
#pragma once

#include <cstdint>

#include "sched/worker/worker.hpp"

namespace xylem::sched {

// Its PU's processor, by the kernel's numbers.
int own_cpu(const Worker& worker);
// False where it is not known. By its kernel thread.
bool is_elsewhere(const Worker& worker);

// The worker goes on with a fiber that is held. By its kernel thread.
void stay_home(Worker& worker);
// Whether the worker, which is elsewhere, is to go home at this time (ns): true counts as its way.
bool goes_home(Worker& worker, int64_t now);

// The worker has run nothing else since it went on with a held fiber. A hint.
bool runs_held(const Worker& worker);
// By the monitor, with the pool's lock: the worker is on a processor with another one.
void bring_home(Worker& worker, int64_t now);

}  // namespace xylem::sched
