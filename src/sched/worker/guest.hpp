// Owns: guests: the program's own kernel threads that open parallel regions.
//
// A guest's fiber runs on its own kernel thread. The guest that opens a region first takes PU 0's
// seat while in it: when its fiber waits, its kernel thread is that PU's worker. Guests that come
// while the seat is taken have no seat: when their fiber waits, their kernel thread sleeps, and the
// workers do their work; so two roots do not mean twice the threads.
// If a guest's kernel thread is stuck in some other fiber while its own is ready, the monitor lets
// another worker resume the guest's fiber (it is `away`); it goes home when its region ends.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/queue/fiber.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {

struct ContentionGroup;

struct Guest {
  Worker worker;
  Fiber fiber;
  Stack native;                      // the kernel thread's own stack
  bool seated = false;               // holds PU 0's seat; by the guest
  int regions = 0;                   // outermost regions that are open: 0 or 1
  int number = 0;                    // from 1, in the order in which they were met
  ContentionGroup* group = nullptr;  // of its regions (place/contention_group.hpp); null: not yet
  // 1: the kernel thread sleeps until its fiber is ready; 0: it does not. wait_without_seat().
  std::atomic<uint32_t> waiting{0};
};

// The calling fiber; a kernel thread that was not met before becomes a guest. Its `user` is null
// then, for the upper layer to fill.
Fiber& this_fiber();

// Called when a guest's kernel thread ends, with Guest::group. Set once.
void on_guest_end(void (*hook)(ContentionGroup& group));

// Whether a team of this process has the guest's thread as a member.
bool has_open_region(const Guest& guest);

// Around each outermost region of a guest.
void enter_region(Guest& guest);
void leave_region(Guest& guest);

// suspend() and make_ready() of a guest's fiber that has no seat.
void wait_without_seat(Fiber& fiber, After after, void* argument);
// False if the fiber does not wait that way.
bool wake_without_seat(Fiber& fiber);

// Makes the runtime forget its kernel threads, which a forked child does not have.
void forget_workers_in_child();

}  // namespace xylem::sched
