// Owns: fibers that wait by the address of something whose state they judge themselves: the
// runtime's locks (wait_address.hpp), and what the interposing library's calls wait for.
//
// A waiter stands in the list of its address's bucket. Protocol: it looks at its condition
// (Wait::room) with the bucket's lock held and, if it must wait, stands in the list and leaves; the
// lock is released when the fiber is off its stack. A waker changes the condition first, takes the
// lock after, and looks at the condition again for each waiter. So a waker that comes after the
// look finds the waiter, and one that came before it was seen.
#pragma once

#include <cstdint>

#include "wait/scheduler.hpp"

namespace xylem::sched {

// As Scheduler::wait(). `recheck`: the monitor is to look, too, whether there is room.
bool wait_for_room(const wait::Wait& wait, int64_t deadline, bool recheck);

// Makes ready those at the address for whom there is room, at most so many.
void wake_with_room(const void* address, uint32_t most);

// Asks for wake_with_room(), by whoever comes to serve_posts() first. Takes no lock, allocates
// nothing: for signal handlers.
void post_wake(const void* address);

// True if there is something for serve_posts(). Sequentially consistent: parking.cpp.
bool has_posts();
void serve_posts();

// By the monitor: makes ready whose time has come; those for whom there is room although nobody
// woke them.
void wake_those_due(int64_t now);
int64_t first_deadline();
void recheck_waits();

}  // namespace xylem::sched
