// Owns: the one lock of the runtime's own structures. Held for tens of nanoseconds, never across a
// switch of fibers except where a wait hands it to the context that follows (sched, wait_list.hpp).
#pragma once

#include <atomic>

#include "base/annotations.hpp"

namespace xylem::base {

// Waits for an instant; gives the processor away from the hundredth turn on, as the lock's holder
// may have lost its own. In os/spin_wait.cpp.
void wait_for_holder(int turn);

class XYLEM_CAPABILITY("mutex") SpinLock {
 public:
  void lock() XYLEM_ACQUIRE() {
    // pairs with the release in unlock()
    while (held_.exchange(true, std::memory_order_acquire)) wait_until_free();
  }
  bool try_lock() XYLEM_TRY_ACQUIRE(true) {
    return !held_.load(std::memory_order_relaxed) &&          // relaxed: only a hint
           !held_.exchange(true, std::memory_order_acquire);  // pairs with the release in unlock()
  }
  void unlock() XYLEM_RELEASE() {
    held_.store(false, std::memory_order_release);  // pairs with the acquire in lock()
  }

 private:
  void wait_until_free() const {
    // relaxed: lock() looks again
    for (int turn = 0; held_.load(std::memory_order_relaxed); ++turn) wait_for_holder(turn);
  }

  std::atomic<bool> held_{false};
};

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
