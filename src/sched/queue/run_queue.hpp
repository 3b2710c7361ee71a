// Owns: a run queue, one for each level of the machine (paper 002, section 2.2.3).
//
// Two lists: `ready` holds started fibers, first in first out; `fresh` holds shares, last in first
// out for the owner (depth first) and first in first out for thieves (top of the tree first). What
// has a higher priority stands before what has a lower one.
// Invariant: count() == number of entities in both lists whenever the lock is free.
//
// A PU's queue knows what its owner, the worker in the PU's slot, does. While that looks for work a
// push concerns nobody else. Otherwise the queue's level stands in the set of levels that have
// something to steal (LevelBits), from the first push on, until a thief finds the queue empty or
// its owner looking: an owner that fills and empties its queue again and again writes no line of
// others.
//
// An owner that polls waits on one word, too, a line of its own (hand_over()): a seed comes there
// by one write, beside lists and lock. The word is open only while the owner looks. Who closes it
// puts what is in it into the list.
#pragma once

#include <atomic>
#include <span>

#include "base/spin_lock.hpp"
#include "plan/plan.hpp"
#include "plan/steal_rule.hpp"
#include "sched/context/work.hpp"
#include "sched/queue/entity.hpp"
#include "sched/queue/level_bits.hpp"
#include "sched/queue/taker.hpp"

namespace xylem::sched {

// What a look for work takes first. elsewhere_first: of the levels above and of other PUs (the
// search knows it, a queue does not).
enum class Order : uint8_t { ready_first, fresh_first, elsewhere_first };

// What is to be run because it has waited for long: a fiber, or a seed, of the PU's own queue, or
// of those of units and levels where the PU is. lent: nothing; the worker is to see that its PU is
// lent to another process (Pool::lend).
enum class Serve : uint8_t { none, fiber, seed, fiber_above, seed_above, lent };

// What the owner of a PU's queue does. away: it runs something, or there is none. parked: also one
// whose kernel thread does not run yet. woken: parked, and somebody wakes it.
enum class Owner : uint8_t { away, searching, parked, woken };

// Whom a push concerns: nobody but an owner that polls or comes, the owner who sleeps, or any
// worker that may serve the level.
enum class Concerns : uint8_t { owner_awake, owner_asleep, anyone };

class alignas(64) RunQueue {
 public:
  // Index in Machine::levels(); of a unit's queue where it is attached, or was attached last.
  // Written by who makes the pool, or lays the unit. relaxed: it is only told.
  std::atomic<int> level = 0;

  // Entities inside. Exact under the lock; elsewhere it may be old, but a push that comes before
  // this in the order of sequentially consistent operations is seen: parking.cpp and keeping.cpp
  // have proofs that need it. On x86 a plain load.
  int count() const { return count_.load(std::memory_order_seq_cst); }

  // Where the levels are kept that have something to steal; null: nowhere, as for units' queues.
  // Written by who makes the pool.
  LevelBits* stealable = nullptr;

  // Who is told owner_asleep wakes the owner; nobody else is told so until it parks again.
  Concerns push_ready(Fiber& fiber);
  // The same for `count` fibers of `initial`'s region, one at least, in the order of the list,
  // which is empty then. All of them anybody may take, or all are gathered.
  Concerns push_ready(EntityList& fibers, int count, const ExternalThread* initial);
  Concerns push_fresh(SeedRange& seeds);
  // Gives one seed to an owner that polls. False, and nothing is changed, if the owner does not, or
  // if the seed's range is not the one of its number (`seed_ranges + number - 1`).
  bool hand_over(const SeedRange& seeds);

  // --- by the owner, and by who changes it ---
  // From here on the owner is an external thread, which runs only what is of its own region, and
  // now and then nobody. Only compared.
  void set_external_owner(const ExternalThread& external);
  // From here on the owner looks at the queue again and again, or has parked and polls once more.
  void owner_searches();
  void owner_parks() { set_owner_state(Owner::parked); }
  // It has found something, or cannot come. True if what waits here concerns others from here on.
  bool owner_goes() { return set_owner_state(Owner::away); }
  Owner owner() {
    base::Locked locked(lock_);
    return owner_;
  }
  // What waits here may be taken by others now.
  void offer() XYLEM_EXCLUDES(lock_);

  // By a thief that found nothing here: takes the level out of the set if the queue is empty or its
  // owner looks and may run all; but not while somebody else has the lock, as the next thief comes
  // by. True if others may have been hidden (LevelBits::clear).
  bool retract();

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

  // What a thief gets. The caller tells the trace, and then puts `rest` and `lifted` into queues.
  struct Stolen {
    Work work;
    SeedRange* rest = nullptr;  // the other seeds that were taken; null: none
    EntityList lifted;          // seed ranges that are to go to the lowest level in common
  };
  // Threads that a seed range stands for, those of the teams that its members will open included.
  // Called under the queue's lock.
  using LoadOf = int64_t (*)(const SeedRange& seeds);
  // For a thief from elsewhere: what the rule says of a queue (plan::Take, plan::Open), one member
  // as work. `load_of` null: each member counts as one thread. A thief that does not wait gets
  // nothing while somebody else has the lock.
  Stolen steal(const Taker& thief, bool waits, const plan::StealRule& rule = {},
               LoadOf load_of = nullptr);

  // Takes one seed of `bubble` out of `share` if it still has one; -1 if not.
  static int claim_seed(SeedRange& seeds);

  // An external thread's fiber that waits here becomes free to run on any worker of this level.
  // False if there is none.
  bool free_an_external();

  // Seeds and fibers that wait here, counted up to `most`.
  int waiting(int most);

  // What has waited longest of the fibers, or of the seeds. As long as two polls see the same it
  // has waited; of seeds also if others came at the same place that poll alike.
  struct Oldest {
    const Entity* entity = nullptr;  // null: there is none, or only a certain worker may take it
    uint32_t activations = 0;        // of a fiber
    int lo = 0, hi = 0;              // of seeds
    const ExternalThread* initial = nullptr;  // in whose region it is; only compared
    explicit operator bool() const { return entity != nullptr; }
    bool operator==(const Oldest&) const = default;
  };
  Oldest oldest(Serve what);
  // The fiber that has waited longest of those who were gathered here.
  Oldest oldest_gathered();
  // Others may take who was gathered here. Whom that concerns.
  Concerns let_gathered_go();
  // The same, as work; one of the seeds. Empty if the worker may run none.
  Work take_oldest(const Taker& worker, Serve what);

  // What stands here and may go elsewhere, as a policy's hooks see it.
  struct Standing {
    const Entity* entity = nullptr;
    EntityKind kind = EntityKind::fiber;
    bool pinned = false;       // only below the queue's level
    int lo = 0, hi = 0;        // of seeds
    uint32_t activations = 0;  // of a fiber
    int pu = -1;               // likewise: where it ran last
    int priority = 0;
    int64_t load = 0;              // of seeds, as LoadOf says
    const Group* group = nullptr;  // of its team; or null
  };
  // The first that many from the oldest on, the seeds first. How many it wrote.
  size_t copy(std::span<Standing> room, LoadOf load_of);
  // Takes out what stood here: the fiber, if it has not run since, or what is left of the seeds.
  // Null: it is gone.
  Entity* take_out(const Standing& standing);

  // The seeds of which take() would take one, or steal() some, if these are two or more. False:
  // there are none.
  bool meet(const Taker& worker, Order order, LoadOf load_of, Standing& met);
  bool meet(const Taker& thief, const plan::StealRule& rule, LoadOf load_of, Standing& met);
  // Takes of these, or of what is left of them, as many as the share says; what it sends elsewhere
  // is in `lifted`. Nothing if they are gone.
  Stolen take_share(const Taker& worker, const Standing& met, const plan::Share& share);

  // Moves all that others may take to the ends of the lists, in the order in which it came.
  void take_all_free(EntityList& fibers, EntityList& seeds);
  // Where nobody comes for long, others may take what else they could not.
  void let_all_go();
  // True if something waits here that only certain workers may take.
  bool holds_bound();

  // Walks both lists; nullptr if the invariants hold, else which one does not.
  const char* check();

 private:
  bool set_owner_state(Owner owner);
  void insert_fresh(SeedRange& seeds) XYLEM_REQUIRES(lock_);
  static Work work_of(uint64_t word);
  Work take_handed();
  SeedRange* close_hand();
  Concerns concerns(bool is_free, const ExternalThread* initial) XYLEM_REQUIRES(lock_);
  void publish() XYLEM_REQUIRES(lock_);
  Fiber* first_gathered() XYLEM_REQUIRES(lock_);
  bool something_is_free() XYLEM_REQUIRES(lock_);
  void insert_ready(Fiber& fiber) XYLEM_REQUIRES(lock_);
  Work take_ready(const Taker& worker) XYLEM_REQUIRES(lock_);
  bool retract_locked() XYLEM_REQUIRES(lock_);
  Stolen steal_locked(const Taker& thief, const plan::StealRule& rule, LoadOf load_of)
      XYLEM_REQUIRES(lock_);
  Work take_fresh(const Taker& worker) XYLEM_REQUIRES(lock_);
  Work take_oldest_seed(const Taker& worker) XYLEM_REQUIRES(lock_);
  SeedRange* find(const Standing& standing) XYLEM_REQUIRES(lock_);
  int take_seed(SeedRange& seeds) XYLEM_REQUIRES(lock_);
  SeedRange* choose_seeds(const Taker& thief, plan::Take take, LoadOf load_of)
      XYLEM_REQUIRES(lock_);
  Fiber* free_fiber(const Taker& thief) XYLEM_REQUIRES(lock_);
  void take_members(SeedRange& seeds, int count, Stolen& stolen) XYLEM_REQUIRES(lock_);
  void lift(SeedRange& opened, Stolen& stolen) XYLEM_REQUIRES(lock_);
  void unlink(EntityList& list, Entity& e) XYLEM_REQUIRES(lock_);

  base::SpinLock lock_{{50, "RunQueue::lock_"}};
  Owner owner_ XYLEM_GUARDED_BY(lock_) = Owner::away;
  bool published_ XYLEM_GUARDED_BY(lock_) = false;
  // False: there are none of the kind, and no list is searched for one under the lock.
  bool may_hold_gathered_ XYLEM_GUARDED_BY(lock_) = false;
  bool may_hold_free_ XYLEM_GUARDED_BY(lock_) = false;
  const ExternalThread* owner_external_ XYLEM_GUARDED_BY(lock_) = nullptr;
  EntityList ready_ XYLEM_GUARDED_BY(lock_);
  EntityList fresh_ XYLEM_GUARDED_BY(lock_);
  // Written under the lock, read by all without it. A push adds with a sequentially consistent
  // operation, which pairs with count(): who reads reads it, or what was written under the lock
  // after it. What falls is relaxed: who sees it late only looks once more.
  std::atomic<int> count_{0};

  // Closed, open, or a seed that was handed over: bubble | number << 48. Sequentially consistent
  // where it is written: it stands for list and lock in the proof of parking.cpp.
  static constexpr uint64_t closed = 0;
  static constexpr uint64_t open = 1;
  alignas(64) std::atomic<uint64_t> hand_{closed};
};

}  // namespace xylem::sched
