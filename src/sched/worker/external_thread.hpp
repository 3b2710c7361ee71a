// Owns: external threads: the program's own kernel threads that open parallel regions.
//
// An external thread's fiber runs on its own kernel thread. The external thread that opens a region
// first takes PU 0's slot while the region is open: when its fiber waits, its kernel thread is that
// PU's worker. External threads that come while the slot is taken have none, and are solo workers
// (solo.hpp): when their fiber waits, their kernel thread sleeps, and the workers do their work. So
// two contention groups do not mean twice the threads. An external thread's kernel thread may be
// stuck in another fiber while its own fiber is ready. Then the monitor lets another worker resume
// that fiber (it is `away`); it goes home when its region ends.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/thread.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {

struct ContentionGroup;

struct ExternalThread {
  Worker worker;
  Fiber fiber;
  Stack native;                      // the kernel thread's own stack
  bool has_slot = false;             // holds PU 0's slot; by the external thread
  int regions = 0;                   // outermost regions that are open: 0 or 1
  int number = 0;                    // from 1, in the order in which they were adopted
  ContentionGroup* group = nullptr;  // of its regions (place/contention_group.hpp); null: not yet
  // By Pool::keep_home(): where its kernel thread might run before; none: it is not kept.
  os::AffinityMask affinity_before;
  uint64_t home_until = 0;  // ticks; until then Pool::bring_home() does not look again
};

// The calling fiber; a kernel thread that the runtime does not know becomes an external thread. Its
// `user` is null then, for the upper layer to fill.
Fiber& this_fiber();

// Called when an external thread's kernel thread ends, with ExternalThread::group. Set once.
void on_external_end(void (*hook)(ContentionGroup& group));

// Whether a team of this process has the external thread as a member.
bool has_open_region(const ExternalThread& external);

// Around each outermost region of an external thread. Returns the pool in which the region runs.
Pool& enter_region(ExternalThread& external);
void leave_region(ExternalThread& external);

// Makes the runtime forget its kernel threads, which a forked child does not have.
void forget_workers_in_child();

}  // namespace xylem::sched
