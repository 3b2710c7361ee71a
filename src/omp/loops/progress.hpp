// Owns: a number that only grows and the fibers that wait for it to grow: the turn of an ordered
// loop and the progress of a doacross chunk.
//
// Sleep and wake. A waiter, under the lock: sleepers += 1, then looks at the value, then is listed.
// An opener: value = v, then looks at sleepers; if not 0 it takes the lock and wakes whom v
// satisfies. Both are sequentially consistent, so at least one of the two sees the other (Dekker);
// and a waiter that has counted itself is listed or gone before the opener gets the lock. No
// wake-up is lost.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/annotations.hpp"
#include "base/spin_lock.hpp"

namespace xylem::omp {

class Progress {
 public:
  // Back to `value`. Nobody waits and nobody else looks.
  void reset(uint64_t value = 0) {
    // relaxed: published with the work share that holds the gate
    value_.store(value, std::memory_order_relaxed);
  }

  uint64_t value() const { return value_.load(std::memory_order_acquire); }  // as in reached()

  // What was written before the open() that made it true is seen after it returned true.
  bool reached(uint64_t wanted) const {
    return value_.load(std::memory_order_acquire) >= wanted;  // pairs with the store in open()
  }

  // Returns when the value is at least `wanted`: spins shortly, then suspends the calling fiber.
  void wait(uint64_t wanted) {
    if (!reached(wanted)) wait_long(wanted);
  }

  // Sets the value from `from` to `to` if it still is `from`, and wakes whom it satisfies. For who
  // is not the one that open() is for.
  void advance(uint64_t from, uint64_t to) {
    // pairs as in open()
    if (!value_.compare_exchange_strong(from, to, std::memory_order_seq_cst)) return;
    if (sleepers_.load(std::memory_order_seq_cst) != 0) wake(to);
  }

  // Sets the value, which is not smaller than the last one, and wakes whom it satisfies. One caller
  // at a time.
  void open(uint64_t value) {
    value_.store(value, std::memory_order_seq_cst);  // pairs with reached(), and block()'s look
    if (sleepers_.load(std::memory_order_seq_cst) != 0) wake(value);  // pairs with block()'s add
  }

 private:
  struct Waiter;
  void wait_long(uint64_t wanted);
  void block(uint64_t wanted) XYLEM_EXCLUDES(lock_);
  void wake(uint64_t value) XYLEM_EXCLUDES(lock_);

  std::atomic<uint64_t> value_{0};     // written by the opener
  std::atomic<uint32_t> sleepers_{0};  // length of the list and who is about to join it
  base::SpinLock lock_{{30, "omp::Progress::lock_"}};
  Waiter* first_ XYLEM_GUARDED_BY(lock_) = nullptr;
};

}  // namespace xylem::omp
