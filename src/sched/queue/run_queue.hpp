// Owns: a run queue, one for each level of the machine (paper 002, section 2.2.3).
//
// Two lists: `ready` holds started fibers, first in first out; `fresh` holds shares, last in first
// out for the owner (depth first) and first in first out for thieves (top of the tree first). What
// has a higher priority stands before what has a lower one.
// Invariant: count() == number of entities in both lists whenever the lock is free.
#pragma once

#include <atomic>

#include "base/spin_lock.hpp"
#include "sched/context/work.hpp"
#include "sched/queue/entity.hpp"
#include "sched/queue/taker.hpp"

namespace xylem::sched {

// What a look for work takes first. elsewhere_first: of the levels above and of other PUs (the
// search knows it, a queue does not).
enum class Order : uint8_t { ready_first, fresh_first, elsewhere_first };

class RunQueue {
 public:
  // Index in Machine::levels(); of a unit's queue where it is attached, or was attached last.
  // Written by who makes the pool, or lays the unit. relaxed: it is only told.
  std::atomic<int> level = 0;

  // Entities inside. Exact under the lock; elsewhere it may be old, but a push that comes before
  // this in the order of sequentially consistent operations is seen: parking.cpp and keeping.cpp
  // have proofs that need it. On x86 a plain load.
  int count() const { return count_.load(std::memory_order_seq_cst); }

  void push_ready(Fiber& fiber);
  // The same for `count` fibers, in the order of the list, which is empty then.
  void push_ready(EntityList& fibers, int count);
  void push_fresh(SeedRange& seeds);

  // Next thing for `worker`, which serves this level. Empty if there is nothing it may run.
  Work take(const Taker& worker, Order order);

  // The same, of started fibers only.
  Work take_started(const Taker& worker);

  // For a fiber that yields on `worker`, which serves this PU: takes the fiber that stands first
  // and puts the one that yields in. Null, and nothing changed, if a seed waits, if the worker may
  // not run the first, or if that has a lower priority. Else the lock stays with the caller: nobody
  // is to find the one that yields before it is off its stack, and then end_exchange() is due.
  Fiber* exchange(const Taker& worker, Fiber& yielding);
  void end_exchange();

  // What a thief gets. The caller tells the trace, and then puts `rest` into a queue.
  struct Stolen {
    Work work;
    SeedRange* rest = nullptr;  // the other seeds that were taken; null: none
  };
  // For a thief from elsewhere: the upper half of the oldest seed range's seeds, one of them as
  // work; else the oldest fiber that is free to move.
  Stolen steal(const Taker& thief);

  // Takes one seed of `bubble` out of `share` if it still has one; -1 if not.
  static int claim_seed(SeedRange& seeds);

  // An external thread's fiber that waits here becomes free to run on any worker of this level.
  // False if there is none.
  bool free_an_external();

  // Seeds and fibers that wait here, counted up to `most`.
  int waiting(int most);

  // Walks both lists; nullptr if the invariants hold, else which one does not.
  const char* check();

 private:
  void insert_ready(Fiber& fiber) XYLEM_REQUIRES(lock_);
  Work take_ready(const Taker& worker) XYLEM_REQUIRES(lock_);
  Work take_fresh(const Taker& worker) XYLEM_REQUIRES(lock_);
  int take_seed(SeedRange& seeds) XYLEM_REQUIRES(lock_);
  void unlink(EntityList& list, Entity& e) XYLEM_REQUIRES(lock_);

  base::SpinLock lock_{{50, "RunQueue::lock_"}};
  EntityList ready_ XYLEM_GUARDED_BY(lock_);
  EntityList fresh_ XYLEM_GUARDED_BY(lock_);
  // Written under the lock, read by all without it. A push adds with a sequentially consistent
  // operation, which pairs with count(): who reads reads it, or what was written under the lock
  // after it. What falls is relaxed: who sees it late only looks once more.
  std::atomic<int> count_{0};
};

}  // namespace xylem::sched
