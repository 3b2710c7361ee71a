// Owns: fibers that wait by the address of something whose state they judge themselves: the
// runtime's locks (wait_address.hpp), and what the interposing library's calls wait for.
//
// A waiter stands in the list of its address's bucket. Protocol: it looks at its condition
// (Wait::room) with the bucket's lock held and, if it must wait, stands in the list and leaves; the
// lock is released when the fiber is off its stack. A waker changes the condition first, takes the
// lock after, and polls the condition again for each waiter. So a waker that comes after the
// check finds the waiter, and one that came before it was seen.
#pragma once

#include <cstdint>

#include "wait/scheduler.hpp"

namespace xylem::sched {

struct Worker;

// As Scheduler::wait(). `interposed`: in a call of libc's. The monitor is to look, too, whether
// there is room, and the fiber may be gathered (gathering.hpp).
bool wait_for_room(const wait::Wait& wait, int64_t deadline, bool interposed);

// Makes ready those at the address for whom there is room, at most so many.
void wake_with_room(const void* address, uint32_t most);

// Asks for wake_with_room(), by whoever comes to serve_posts() first; where a fiber in a brief run
// asks (gathering.hpp), by its worker, or by the monitor if that takes no turn. Takes no lock,
// allocates nothing: for signal handlers.
void post_wake(const void* address);

// True if there is something for serve_posts() that concerns all. Sequentially consistent:
// parking.cpp.
bool has_posts();
// The same, or something that concerns the worker, which calls it before it runs something else.
bool has_posts_for(const Worker& worker);
void serve_posts();
void serve_posts_for(Worker& worker);

// By the monitor: makes ready whose time has come.
void wake_those_due(int64_t now);
int64_t first_deadline();
// Likewise those for whom there is room although nobody woke them. True if some wait for whom that
// may come to be.
bool recheck_waits();

}  // namespace xylem::sched
