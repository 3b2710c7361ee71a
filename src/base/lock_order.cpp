// Owns: what is known of held locks where their order is checked. See lock_order.hpp.
#include "base/lock_order.hpp"

#include "base/report.hpp"

#ifdef XYLEM_CHECK

namespace xylem::base {

void HeldLocks::add(const LockOrder& lock) {
  if (count_ == most) fatal("%s: too many locks are held at once", lock.rank().name);
  locks_[count_++] = &lock;
}

void HeldLocks::remove(const LockOrder& lock) {
  int at = count_ - 1;
  while (at >= 0 && locks_[at] != &lock) --at;
  if (at < 0) fatal("%s is unlocked by a kernel thread that does not hold it", lock.rank().name);
  --count_;
  for (; at < count_; ++at) locks_[at] = locks_[at + 1];
}

const LockOrder* HeldLocks::highest() const {
  const LockOrder* highest = nullptr;
  for (int i = 0; i < count_; ++i)
    if (!highest || locks_[i]->rank().rank > highest->rank().rank) highest = locks_[i];
  return highest;
}

void LockOrder::check() const {
  const LockOrder* held = held_locks().highest();
  if (!held || held->rank().rank < rank_.rank) return;
  fatal("order of locks: %s (rank %d) is taken while %s (rank %d) is held", rank_.name, rank_.rank,
        held->rank().name, held->rank().rank);
}

HeldLocks hand_over_locks() {
  HeldLocks& mine = held_locks();
  const HeldLocks handed = mine;
  mine = {};
  return handed;
}

void take_locks_over(const HeldLocks& locks) {
  HeldLocks& mine = held_locks();
  if (!mine.empty())
    fatal("a kernel thread that was at rest holds %s", mine.highest()->rank().name);
  mine = locks;
}

}  // namespace xylem::base

#endif
