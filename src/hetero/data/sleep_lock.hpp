// Owns: a lock whose waiters sleep as threads of the scheduler: their workers run others meanwhile.
// For what is held while bytes are copied. It has no rank: docs/locks.md says in what order such
// locks are taken.
//
// Protocol: 0 free, 1 held, 2 held and perhaps waited for. Who finds it held sets 2 before it
// sleeps; who leaves it at 2 wakes one. Whoever is woken takes the lock with 2, so that the others
// are not forgotten.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/annotations.hpp"

namespace xylem::hetero {

class XYLEM_CAPABILITY("mutex") SleepLock {
 public:
  void lock() XYLEM_ACQUIRE() {
    if (!try_lock()) lock_slowly();
  }
  bool try_lock() XYLEM_TRY_ACQUIRE(true) {
    uint32_t free = 0;
    // acquire: pairs with the release in unlock()
    return word_.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void unlock() XYLEM_RELEASE() {
    // release: pairs with the acquire of who takes it next
    if (word_.exchange(0, std::memory_order_release) == 2) wake();
  }

 private:
  void lock_slowly();
  void wake();
  std::atomic<uint32_t> word_{0};  // by all who take or leave the lock
};

class XYLEM_SCOPED_CAPABILITY Sleeping {
 public:
  explicit Sleeping(SleepLock& lock) XYLEM_ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
  ~Sleeping() XYLEM_RELEASE() { lock_.unlock(); }
  Sleeping(const Sleeping&) = delete;
  Sleeping& operator=(const Sleeping&) = delete;

 private:
  SleepLock& lock_;
};

}  // namespace xylem::hetero
