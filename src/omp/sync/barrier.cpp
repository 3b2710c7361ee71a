// Owns: barriers of teams. See barrier.hpp for the invariant.
// arrived, absent and TaskPool::left_families are sequentially consistent: the last to arrive or to
// withdraw increments one and reads the others, the end of the last task the other way round; one
// of the two sees all. A member leaves its tasks to the barrier before it arrives. Without the lock
// the sum may be read one too high for each member that takes its arrival back to withdraw; under
// the lock it is exact or, for arrivals under way, too low.
#include "omp/sync/barrier.hpp"

#include <utility>

#include "omp/team/team.hpp"
#include "omp/team/tracing.hpp"
#include "os/clock.hpp"

namespace xylem::omp {

namespace {

constexpr int spins_before_wait = 300;

bool complete(Team& team) {
  const uint32_t counted = team.barrier.arrived.load() + team.barrier.absent.load();
  return static_cast<int>(counted) >= team.n && team.tasks.idle();
}

// Opens the barrier if it is complete; false if it is not, or somebody else has opened it.
bool try_open(Team& team, uint32_t generation) {
  Barrier& barrier = team.barrier;
  if (!complete(team)) return false;
  barrier.waiters.lock();
  // relaxed: written under this lock
  if (barrier.generation.load(std::memory_order_relaxed) != generation || !complete(team)) {
    barrier.waiters.unlock();
    return false;
  }
  barrier.arrived.store(0, std::memory_order_relaxed);  // relaxed: published by generation
  barrier.generation.store(generation + 1, std::memory_order_release);  // pairs with passed()
  sched::EntityList waiters = barrier.waiters.take_all();
  barrier.sleepers.store(0, std::memory_order_relaxed);  // relaxed: one too many is only a look
  barrier.waiters.unlock();
  sched::make_all_ready(waiters);
  return true;
}

bool passed(const Barrier& barrier, uint32_t generation) {
  // acquire: pairs with the release in try_open()
  return barrier.generation.load(std::memory_order_acquire) != generation;
}

bool cancelled(const Team& team) {
  return team.cancelled.load(std::memory_order_acquire) != 0;  // pairs with the release in cancel
}

// Sleeps in the list unless there is a reason to look again.
void wait_for_news(Member& member, uint32_t generation, bool cancellable) {
  Team& team = *member.team;
  int alone = 0;
  for (int turn = 0; turn < spins_before_wait; ++turn) {
    if (passed(team.barrier, generation) || team.tasks.worth_a_look(turn, alone)) return;
    if ((turn & 15) == 0 && sched::others_wait(*member.thread)) break;
    os::relax();
  }
  sched::WaitList& waiters = team.barrier.waiters;
  waiters.lock();
  team.barrier.sleepers.fetch_add(1);
  if (passed(team.barrier, generation) || team.tasks.has_queued() ||
      (cancellable && cancelled(team))) {
    team.barrier.sleepers.fetch_sub(1);
    waiters.unlock();
    return;
  }
  waiters.wait(trace::Reason::barrier);
  note_helper_awake(team);
}

// Takes the caller's arrival back; false if the barrier has opened meanwhile.
bool take_back(Barrier& barrier, uint32_t generation) {
  sched::WaitList& waiters = barrier.waiters;
  waiters.lock();
  const bool open = passed(barrier, generation);
  if (!open) barrier.arrived.fetch_sub(1);
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
  team.barrier.arrived.fetch_add(1);
  for (;;) {
    while (team.tasks.run_one(member)) {
    }
    if (try_open(team, generation) || passed(team.barrier, generation)) return false;
    if (cancellable && cancelled(team)) return take_back(team.barrier, generation);
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
  const bool left = wait_at(member, !std::exchange(member.in_copyprivate, false));
  trace::emit<traced::barrier_out>(member);
  if (!left && !cancelled(*member.team)) return false;
  leave_region(member);
  return true;
}

void withdraw(Team& team) {
  Barrier& barrier = team.barrier;
  barrier.waiters.lock();
  barrier.absent.fetch_add(1);
  const uint32_t generation = barrier.generation.load(std::memory_order_relaxed);  // by this lock
  barrier.waiters.unlock();
  try_open(team, generation);
}

void tasks_drained(Team& team) {
  try_open(team, team.barrier.generation.load(std::memory_order_acquire));
}

void wake_for_cancel(Team& team) {
  team.barrier.waiters.lock();
  sched::EntityList waiters = team.barrier.waiters.take_all();
  team.barrier.sleepers.store(0, std::memory_order_relaxed);  // relaxed: as in try_open()
  team.barrier.waiters.unlock();
  sched::make_all_ready(waiters);
}

}  // namespace xylem::omp
