// Owns: the one lock of the runtime's own structures. Held for tens of nanoseconds, never across a
// switch of fibers except where a wait hands it to the context that follows (sched, wait_list.hpp).
#pragma once

#include <atomic>

#include "base/annotations.hpp"
#include "base/lock_order.hpp"

namespace xylem::base {

// Waits for an instant; gives the processor away from the hundredth turn on, as the lock's holder
// may have lost its own. In os/spin_wait.cpp.
void wait_for_holder(int turn);

class XYLEM_CAPABILITY("mutex") SpinLock {
 public:
  constexpr explicit SpinLock(LockRank rank) : order_(rank) {}

  void lock() XYLEM_ACQUIRE() {
    order_.check();
    // pairs with the release in unlock()
    while (held_.exchange(true, std::memory_order_acquire)) wait_until_free();
    order_.record_taken();
  }
  // In any order: nobody waits here.
  bool try_lock() XYLEM_TRY_ACQUIRE(true) {
    if (held_.load(std::memory_order_relaxed) ||          // relaxed: only a hint
        held_.exchange(true, std::memory_order_acquire))  // pairs with the release in unlock()
      return false;
    order_.record_taken();
    return true;
  }
  void unlock() XYLEM_RELEASE() {
    order_.record_left();
    held_.store(false, std::memory_order_release);  // pairs with the acquire in lock()
  }

 private:
  void wait_until_free() const {
    // relaxed: lock() looks again
    for (int turn = 0; held_.load(std::memory_order_relaxed); ++turn) wait_for_holder(turn);
  }

  std::atomic<bool> held_{false};
  [[no_unique_address]] LockOrder order_;
};

#ifndef XYLEM_CHECK
static_assert(sizeof(SpinLock) == 1);
#endif

class XYLEM_SCOPED_CAPABILITY Locked {
 public:
  explicit Locked(SpinLock& lock) XYLEM_ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
  ~Locked() XYLEM_RELEASE() { lock_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace xylem::base
