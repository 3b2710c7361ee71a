// Owns: a list of suspended fibers behind a lock.
//
// Protocol: a waiter takes the lock, looks at its condition, and if it must wait calls wait(),
// which releases the lock once the fiber is off its stack. A waker changes the condition under the
// lock. So no wake-up can fall between the poll and the sleep, and nobody resumes a running
// context.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/spin_lock.hpp"
#include "sched/queue/fiber.hpp"

namespace xylem::sched {

class XYLEM_CAPABILITY("mutex") WaitList {
 public:
  void lock() XYLEM_ACQUIRE() { lock_.lock(); }
  void unlock() XYLEM_RELEASE() { lock_.unlock(); }
  bool empty() const XYLEM_REQUIRES(this) { return fibers_.empty(); }

  // Suspends the calling fiber in this list; the lock is free when it returns.
  void wait(trace::Reason reason) XYLEM_RELEASE();

  // Takes all or the first; the caller makes them ready after it has released the lock.
  EntityList take_all() XYLEM_REQUIRES(this);
  Fiber* take_one() XYLEM_REQUIRES(this);

 private:
  base::SpinLock lock_{{30, "WaitList::lock_"}};
  EntityList fibers_;
};

}  // namespace xylem::sched
