// Owns: barriers of teams. See barrier.hpp for the invariant.
// Arrivals, absent and TaskPool::left_child_tasks are sequentially consistent: the last to arrive
// or to withdraw writes one and reads the others, the end of the last task the other way round; one
// of the two sees all. A member leaves its tasks to the barrier before it arrives.
//
// While nobody is absent all have arrived when the root of the tree is complete, and only who
// completes it, or ends the last task, tries to open. From the first absence on each arrival looks,
// and adds up the lowest nodes: who arrived before it has written a lowest node, and read absent
// afterwards. Nodes above count no longer then; a member on its way up may come late.
// Who takes an arrival back (the region is cancelled) withdraws next. Where the root was complete
// before, the barrier opens without waiting for that: all had arrived.
// Where members may leave early, who opens does so under the lock, and brings the lowest nodes to
// what the next generation begins with.
#include "omp/sync/barrier.hpp"

#include <climits>
#include <span>

#include "omp/sync/member_order.hpp"
#include "omp/sync/wait_in_place.hpp"
#include "omp/team/team.hpp"
#include "omp/team/tracing.hpp"

namespace xylem::omp {

namespace {

uint32_t arrived_at_lowest(const Team& team, uint32_t generation) {
  const CombiningTree& tree = team.tree;
  uint32_t sum = 0;
  for (int i = 0; i < tree.lowest_count(team.n); ++i)
    sum += tree.at(i).arrived.count() - tree.at(i).arrived.size() * generation;
  return sum;
}

bool complete(const Team& team, uint32_t generation) {
  const CombiningTree& tree = team.tree;
  const uint32_t absent = team.barrier.absent.load();
  const bool all =
      absent == 0 ? tree.root().arrived.count() == tree.root().arrived.size() * (generation + 1)
                  : arrived_at_lowest(team, generation) + absent >= static_cast<uint32_t>(team.n);
  return all && team.tasks.idle();
}

bool cancelled(const Team& team) {
  return team.cancelled.load(std::memory_order_acquire) != 0;  // pairs with the release in cancel
}

// relaxed: published by generation
void begin_next(Team& team, uint32_t generation) {
  if (!cancelled(team)) return;
  for (int i = 0; i < team.tree.lowest_count(team.n); ++i) {
    CombiningTree::Counter& arrived = team.tree.at(i).arrived;
    arrived.set_count(arrived.size() * generation);
  }
}

// Of those that leave early.
sched::WaitList& lock_of(Team& team) { return team.sleepers.list; }

// Where members may leave early: an arrival may be taken back until the lock is held.
bool open_under_lock(Team& team, uint32_t generation) {
  Barrier& barrier = team.barrier;
  sched::WaitList& waiters = lock_of(team);
  waiters.lock();
  // relaxed: written under this lock
  const bool opens = barrier.generation.load(std::memory_order_relaxed) == generation &&
                     complete(team, generation);
  if (opens) {
    begin_next(team, generation + 1);
    barrier.generation.store(generation + 1);  // pairs with passed()
  }
  waiters.unlock();
  return opens;
}

// What is complete stays so until the barrier opens, and the generation alone says who opens it.
bool open(Team& team, uint32_t generation) {
  return team.barrier.generation.compare_exchange_strong(generation,
                                                         generation + 1);  // pairs with passed()
}

constexpr int nobody = INT_MAX;

sched::EntityList take_all(BarrierSleepers& sleepers) XYLEM_REQUIRES(sleepers.list) {
  sleepers.count.store(0, std::memory_order_relaxed);  // relaxed: one too many is only a poll
  return sleepers.list.take_all();
}

// Wakes all, whatever they wait for.
void let_all_go(BarrierSleepers& sleepers) XYLEM_RELEASE(sleepers.list) {
  sched::EntityList released = take_all(sleepers);
  sleepers.list.unlock();
  sched::make_all_ready(released);
}

// Wakes those that wait for the end of this generation; who came to the next barrier meanwhile
// sleeps on. The lowest number among them; nobody's: none was woken.
int wake(BarrierSleepers& sleepers, uint32_t generation) {
  if (sleepers.count.load() == 0) return nobody;
  sched::EntityList released;
  sleepers.list.lock();
  if (sleepers.generation == generation) released = take_all(sleepers);
  sleepers.list.unlock();
  if (released.empty()) return nobody;
  sort_by_number(released);
  const int first = number_of(*released.front());
  sched::make_all_ready(released);
  return first;
}

// The lowest number among those woken in the list `beside`.
int wake_sleepers(Team& team, uint32_t generation, const BarrierSleepers* beside) {
  if (!team.sleeps_by_pu) return wake(team.sleepers, generation);
  int first = nobody;
  for (SleepersOfPu& sleepers : sleepers_by_pu(team)) {
    if (sleepers.in_place[generation % 2].load() != 0) continue;
    const int woken = wake(sleepers, generation);
    if (&sleepers == beside) first = woken;
  }
  return first;
}

SleepersOfPu& sleepers_beside(const Member& member) {
  const std::span all = sleepers_by_pu(*member.team);
  return all[static_cast<size_t>(member.thread->pu) % all.size()];
}

// Opens the barrier if it is complete; false if it is not, or somebody else has opened it.
//
// Who sleeps counts itself and then looks at the generation, sequentially consistent: who opens
// sees it, or it sees that the barrier is open. Where nobody sleeps the lists' lines stay where
// they are.
bool try_open(Team& team, uint32_t generation, Member* opener) {
  if (!complete(team, generation)) return false;
  const bool opened =
      globals().cancellation ? open_under_lock(team, generation) : open(team, generation);
  if (!opened) return false;
  const bool by_pu = opener && team.sleeps_by_pu;
  const int first = wake_sleepers(team, generation, by_pu ? &sleepers_beside(*opener) : nullptr);
  if (opener) let_lower_ones_run(*opener, first);
  return true;
}

bool passed(const Barrier& barrier, uint32_t generation) {
  // acquire, and sequentially consistent: see try_open()
  return barrier.generation.load() != generation;
}

// As wait_in_place(). Who passes wakes those that sleep at the same processor.
bool wait_beside_sleepers(Member& member, uint32_t generation) {
  const Barrier& barrier = member.team->barrier;
  SleepersOfPu& here = sleepers_beside(member);
  std::atomic<uint32_t>& in_place = here.in_place[generation % 2];
  in_place.fetch_add(1);
  const bool news = wait_in_place(member, [&] { return passed(barrier, generation); });
  in_place.fetch_sub(1);
  if (!passed(barrier, generation)) return news;
  let_lower_ones_run(member, wake(here, generation));
  return true;
}

// In the list, unless there is a reason to look again.
void sleep_among(BarrierSleepers& sleepers, Member& member, uint32_t generation, bool cancellable) {
  Team& team = *member.team;
  sleepers.list.lock();
  // relaxed: written under this lock
  if (sleepers.generation != generation && sleepers.count.load(std::memory_order_relaxed) != 0) {
    return let_all_go(sleepers);  // their barrier is open: the caller has passed it
  }
  sleepers.generation = generation;
  sleepers.count.fetch_add(1);
  if (passed(team.barrier, generation) || team.tasks.has_queued() ||
      (cancellable && cancelled(team))) {
    sleepers.count.fetch_sub(1);
    return sleepers.list.unlock();
  }
  sleepers.list.wait(trace::Reason::barrier);
  record_helper_awake(team);
}

// Sleeps unless there is a reason to look again.
void wait_for_news(Member& member, uint32_t generation, bool cancellable) {
  Team& team = *member.team;
  const bool by_pu = team.sleeps_by_pu;
  if (by_pu ? wait_beside_sleepers(member, generation)
            : wait_in_place(member, [&] { return passed(team.barrier, generation); }))
    return;
  if (team.tasks.run_one(member)) return;
  sleep_among(by_pu ? sleepers_beside(member) : team.sleepers, member, generation, cancellable);
}

// Takes the caller's arrival back; false if the barrier has opened meanwhile.
bool take_back(Member& member, uint32_t generation) {
  Team& team = *member.team;
  sched::WaitList& waiters = lock_of(team);
  waiters.lock();
  const bool open = passed(team.barrier, generation);
  if (!open) team.tree.lowest_of(member.num).arrived.take_back();
  waiters.unlock();
  return !open;
}

// True if it was left because the region is cancelled.
bool wait_at(Member& member, bool cancellable) {
  Team& team = *member.team;
  if (cancellable && cancelled(team)) return true;
  sched::scheduling_point(*member.thread);
  // relaxed: a member reads it after it has passed the barrier before, which ordered it
  const uint32_t generation = team.barrier.generation.load(std::memory_order_relaxed);
  member.implicit.leave_family();
  bool completes = team.tree.arrive(member.num, generation);
  for (;;) {
    while (team.tasks.run_near_one(member)) {
    }
    if (!completes) completes = team.barrier.absent.load() != 0;
    if ((completes && try_open(team, generation, &member)) || passed(team.barrier, generation))
      return false;
    if (cancellable && cancelled(team)) return take_back(member, generation);
    wait_for_news(member, generation, cancellable);
  }
}

}  // namespace

void team_barrier(Member& member) {
  if (member.team->n == 1) {
    run_all_tasks(member);
    return;
  }
  trace::emit<traced::barrier_in>(member);
  member.in_copyprivate = false;
  wait_at(member, false);
  trace::emit<traced::barrier_out>(member);
}

bool team_barrier_cancel(Member& member) {
  if (member.team->n == 1) {
    run_all_tasks(member);
    return cancelled(*member.team);
  }
  trace::emit<traced::barrier_in>(member);
  const bool may_leave = !member.in_copyprivate;
  member.in_copyprivate = false;
  const bool left = wait_at(member, may_leave);
  trace::emit<traced::barrier_out>(member);
  if (!left && !cancelled(*member.team)) return false;
  leave_region(member);
  return true;
}

void withdraw(Team& team) {
  lock_of(team).lock();
  team.barrier.absent.fetch_add(1);
  // relaxed: by this lock
  const uint32_t generation = team.barrier.generation.load(std::memory_order_relaxed);
  lock_of(team).unlock();
  try_open(team, generation, nullptr);
}

void tasks_drained(Team& team) {
  try_open(team, team.barrier.generation.load(std::memory_order_acquire), nullptr);
}

namespace {

// Calls visit(sleepers) for each list until that is true; false if it never was.
template <class Visit>
bool each_list(Team& team, Visit visit) {
  if (!team.sleeps_by_pu) return visit(team.sleepers);
  for (SleepersOfPu& sleepers : sleepers_by_pu(team))
    if (visit(sleepers)) return true;
  return false;
}

}  // namespace

void wake_for_cancel(Team& team) {
  each_list(team, [](BarrierSleepers& sleepers) {
    sleepers.list.lock();
    let_all_go(sleepers);
    return false;
  });
}

bool somebody_sleeps(Team& team) {
  return each_list(team, [](BarrierSleepers& sleepers) { return sleepers.count.load() != 0; });
}

sched::Thread* take_sleeper(Team& team) {
  sched::Thread* taken = nullptr;
  each_list(team, [&taken](BarrierSleepers& sleepers) {
    if (sleepers.count.load() == 0) return false;
    sleepers.list.lock();
    taken = sleepers.list.take_one();
    if (taken) sleepers.count.fetch_sub(1);
    sleepers.list.unlock();
    return taken != nullptr;
  });
  return taken;
}

}  // namespace xylem::omp
