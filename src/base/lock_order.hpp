// Owns: the order in which locks are taken, and the check of it in builds with XYLEM_CHECK.
//
// Invariant of checked builds: a kernel thread takes a lock only if its rank is higher than that of
// each lock that the kernel thread holds; else the program ends with both names. Other builds keep
// nothing: a lock is as large, and as fast, as without a rank.
#pragma once

namespace xylem::base {

// The place of a lock in the total order (docs/locks.md), and the name that it has there.
struct LockRank {
  int rank;
  const char* name;
};

#ifdef XYLEM_CHECK

class LockOrder;

// The locks that one kernel thread holds, in the order in which they were taken.
class HeldLocks {
 public:
  void add(const LockOrder& lock);
  void remove(const LockOrder& lock);
  // Null if none is held.
  const LockOrder* highest() const;
  bool empty() const { return count_ == 0; }

 private:
  static constexpr int most = 16;  // fork() holds the most
  const LockOrder* locks_[most] = {};
  int count_ = 0;
};

// Of the calling kernel thread, whichever thread block is in force: what one fiber has locked
// before a switch, the next one unlocks after it. In os/held_locks.cpp.
HeldLocks& held_locks();

// What a lock tells of itself. Each call is made by the kernel thread that takes or leaves it.
class LockOrder {
 public:
  constexpr explicit LockOrder(LockRank rank) : rank_(rank) {}
  const LockRank& rank() const { return rank_; }
  // Before the lock is waited for. Ends the program if a lock is held whose rank is not lower.
  void check() const;
  void record_taken() const { held_locks().add(*this); }
  void record_left() const { held_locks().remove(*this); }

 private:
  LockRank rank_;
};

// True if the calling kernel thread holds none, or if it is not known.
inline bool holds_no_lock() { return held_locks().empty(); }

// Where a switch goes to another kernel thread (sched/context/gate.hpp) the locks go with it: those
// of the calling kernel thread, which then holds none.
HeldLocks hand_over_locks();
void take_locks_over(const HeldLocks& locks);

#else

struct HeldLocks {};
struct LockOrder {
  constexpr explicit LockOrder(LockRank /*rank*/) {}
  void check() const {}
  void record_taken() const {}
  void record_left() const {}
};
inline bool holds_no_lock() { return true; }
inline HeldLocks hand_over_locks() { return {}; }
inline void take_locks_over(const HeldLocks& /*locks*/) {}

#endif

}  // namespace xylem::base
