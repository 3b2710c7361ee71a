// Owns: a number that only grows, such as the progress of a doacross chunk, and those who wait for
// it to grow.
//
// Sleep and wake. A waiter, under the lock: count += 1, then looks at the value, then is listed. An
// opener: value = v, then looks at the count; if not 0 it takes the lock and wakes whom v
// satisfies. Both are sequentially consistent, so at least one of the two sees the other (Dekker);
// and a waiter that has counted itself is listed or gone before the opener gets the lock. No
// wake-up is lost.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/annotations.hpp"
#include "base/spin_lock.hpp"

namespace xylem::omp {

// Those who sleep until a number has grown.
class Sleepers {
 public:
  // True if somebody may sleep who did not see what the caller wrote to the number before.
  bool any() const { return count_.load(std::memory_order_seq_cst) != 0; }
  // Suspends the caller until it is woken; returns at once if the value is at least `wanted`.
  void sleep(const std::atomic<uint64_t>& value, uint64_t wanted) XYLEM_EXCLUDES(lock_);
  // Wakes who waits for `value` or less.
  void wake(uint64_t value) XYLEM_EXCLUDES(lock_);

 private:
  struct Waiter;

  std::atomic<uint32_t> count_{0};  // length of the list and who is about to join it
  base::SpinLock lock_{{30, "omp::Sleepers::lock_"}};
  Waiter* first_ XYLEM_GUARDED_BY(lock_) = nullptr;
};

class Progress {
 public:
  uint64_t value() const { return value_.load(std::memory_order_acquire); }  // as in reached()

  // What was written before the open() that made it true is seen after it returned true.
  bool reached(uint64_t wanted) const {
    return value_.load(std::memory_order_acquire) >= wanted;  // pairs with the store in open()
  }

  // Returns when the value is at least `wanted`: spins shortly, then suspends the calling fiber.
  void wait(uint64_t wanted) {
    if (!reached(wanted)) wait_long(wanted);
  }

  // Sets the value, which is not smaller than the last one, and wakes whom it satisfies. One caller
  // at a time.
  void open(uint64_t value) {
    value_.store(value, std::memory_order_seq_cst);  // pairs with reached() and Sleepers::sleep()
    if (sleepers_.any()) sleepers_.wake(value);
  }

 private:
  void wait_long(uint64_t wanted);

  std::atomic<uint64_t> value_{0};  // written by the opener
  Sleepers sleepers_;
};

}  // namespace xylem::omp
