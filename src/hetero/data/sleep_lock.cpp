// Owns: waiting for a sleep lock. See sleep_lock.hpp.
#include "hetero/data/sleep_lock.hpp"

#include "sched/sched.hpp"

namespace xylem::hetero {

void SleepLock::lock_slowly() {
  // acquire: pairs with the release in unlock()
  while (word_.exchange(2, std::memory_order_acquire) != 0) sched::wait_on(&word_, 2);
}

void SleepLock::wake() { sched::wake_one(&word_); }

}  // namespace xylem::hetero
