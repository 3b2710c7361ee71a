// Owns: how a call of this library waits on a fiber, and how a call that may end a wait finds out
// cheaply whether any fiber waits.
//
// Named counters: interest[h], the fibers that wait, or are about to, at addresses with the hash h.
// Invariant: a fiber is suspended at an object only while nobody has changed the object in its
// favour since it looked, or a wake-up for it is on its way.
// Proof. A waiter adds itself to interest[h], and then looks at the object: by the first attempt
// and, before it is suspended, by Wait::room() under the lock of the list that it stands in. A
// waker changes the object, and then reads interest[h]. A sequentially consistent fence stands
// between the two steps on both sides, so one of the two sees the other: the waiter the change, or
// the waker the waiter. In the second case it calls Scheduler::wake(), which takes the list's lock:
// the waiter looks after it, and sees the change, or stands in the list and is found. A waiter that
// was woken and finds the object taken by another waits again; who took it will change it once
// more. A change that no function of this library made (libc called around it) is found by the
// scheduler's monitor, which asks room() of waiters at its ticks.
//
// While a fiber starves for an object, the others have no room there, though it may be free. It
// stands first, so a wake-up finds it. One that was woken before and may not try any longer wakes
// again; and who starves no longer has the object, which it will give back, or wakes.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include "wait/scheduler.hpp"

namespace xylem::wait {

// The scheduler; null before libxylem.so offers it.
const Scheduler* scheduler();

// The scheduler if the calling fiber may be suspended in a call that returns to `caller`; else
// null. Not in the allocator: the runtime asks it for memory with locks of its own held.
const Scheduler* scheduler_of_fiber(const void* caller);

// While one lives, wake() of the address reaches the scheduler.
class Interest {
 public:
  explicit Interest(const void* address);
  ~Interest();
  Interest(const Interest&) = delete;
  Interest& operator=(const Interest&) = delete;

 private:
  std::atomic<uint32_t>& count_;
};

// Whether a fiber may wait at the address. Of what the caller has changed before nothing is
// promised.
bool has_interest(const void* address);

// After a change of the object, by who may wait for it. Only the address is used: the object may be
// gone.
void wake(const void* address);
// The same, for who may have interrupted anything.
void wake_soon(const void* address);

// Whether a fiber has waited long for an object that is taken in turn (Wait::in_turn): whoever
// comes queues behind it then, and it stands first. One fiber at a time among all addresses of one
// hash.
bool is_starved(const void* address);
// Whether this one has to.
bool must_queue(const Wait& wait);

// One way to take an object: what to call, and what it answers while the object is taken.
struct Attempt {
  int (*take)(void* object);
  void* object;
  int busy;
};

// Tries until it takes the object: 0; or an error of the attempt's; or ETIMEDOUT. errno is kept.
int take_on_fiber(const Scheduler& scheduler, Wait wait, const Attempt& attempt, int64_t deadline);

// False for a time that POSIX calls invalid.
bool is_valid(const timespec& time);
// When the clock, CLOCK_MONOTONIC or CLOCK_REALTIME, will show this time.
int64_t deadline_at(clockid_t clock, const timespec& time);
int64_t deadline_after(const timespec& span);
inline bool is_known(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME;
}

}  // namespace xylem::wait
