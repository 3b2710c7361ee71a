// Owns: what is to happen at a time: fibers that sleep, or wait for something not longer than that.
// The monitor's thread looks when the first of them is due.
//
// Invariant: a Timer is in the heap from add() until remove(), or until take_due() has taken it.
// take_due() calls back with the lock held, and remove() takes the lock: once remove() has returned
// nobody will touch the timer, whose frame may go.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/spin_lock.hpp"

namespace xylem::sched {

// A node of a pairing heap (Fredman, Sedgewick, Sleator, Tarjan, 1986).
struct Timer {
  int64_t deadline = 0;  // of os::now_ns()
  bool in_heap = false;
  Timer* child = nullptr;   // the first
  Timer* next = nullptr;    // sibling
  Timer* before = nullptr;  // sibling, or the parent of a first child; null: the root
};

class Timers {
 public:
  static constexpr int64_t never = INT64_MAX;

  // True if it is now the first of all: who waits for them has to look again.
  bool add(Timer& timer, int64_t deadline) XYLEM_EXCLUDES(lock_);
  void remove(Timer& timer) XYLEM_EXCLUDES(lock_);

  // Takes out all that are due and calls due(timer) for each, with the lock held.
  template <typename Due>
  void take_due(int64_t now, Due due) XYLEM_EXCLUDES(lock_) {
    if (first_deadline() > now) return;
    base::Locked locked(lock_);
    while (root_ && root_->deadline <= now) {
      Timer& timer = *root_;
      take_out(timer);
      due(timer);
    }
    record_first();
  }

  // Sequentially consistent: pairs with Monitor::planned_.
  int64_t first_deadline() const { return first_.load(); }

 private:
  static Timer* merge(Timer* a, Timer* b);
  static Timer* merge_all(Timer* siblings);
  void take_out(Timer& timer) XYLEM_REQUIRES(lock_);
  void record_first() XYLEM_REQUIRES(lock_) { first_.store(root_ ? root_->deadline : never); }

  base::SpinLock lock_{{25, "Timers::lock_"}};
  Timer* root_ XYLEM_GUARDED_BY(lock_) = nullptr;
  std::atomic<int64_t> first_{never};  // written under the lock, read by all
};

}  // namespace xylem::sched
