// Owns: a team's queues of tasks: making them, and who takes from which. See task.hpp.
#include <algorithm>

#include "base/relax.hpp"
#include "omp/tasks/task_explicit.hpp"
#include "omp/tasks/task_queue.hpp"
#include "omp/team/near_first.hpp"
#include "omp/team/runtime.hpp"
#include "omp/team/team.hpp"
#include "omp/team/team_memory.hpp"
#include "os/ticks.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

// relaxed: all members have departed
void TaskPool::free_all() {
  if (TaskQueues* made = queues.load(std::memory_order_relaxed)) made->free();
  queues.store(nullptr, std::memory_order_relaxed);
  delete region_group;
  region_group = nullptr;
}

TaskQueues& TaskPool::make_queues(Team& team) {
  TaskQueues* seen = nullptr;
  const int most = team.n == 1 ? 1 : machine().pu_count();
  const int size = std::min(team.n, most);
  TaskQueues& made = TaskQueues::make(size, members_a_node(size));
  // Sequentially consistent: who departs reads it after it is seen to depart (join.cpp).
  if (queues.compare_exchange_strong(seen, &made)) {
    if (team.n > 1) count_those_departing(team);
    return made;
  }
  made.free();
  return *seen;
}

bool TaskPool::has_queued() const {
  TaskQueues* made = queues.load(std::memory_order_seq_cst);
  if (!made) return false;
  for (int i = 0; i < made->size(); ++i)
    if (made->at(i).count() > 0) return true;
  return made->urgent.count() > 0;
}

namespace {

// From the queue that TaskWatch named, and the next ones from there until it is empty.
Stolen steal_from_victim(Member& member, TaskQueues& made) {
  if (member.victim < 0) return {};
  TaskQueue& victim = made.any(member.victim);
  const Stolen stolen = victim.steal(member.thread->pu);
  if (!stolen.task || victim.count_relaxed() == 0) member.victim = -1;
  return stolen;
}

Stolen steal_from_any(Member& member, TaskQueues& made) {
  Stolen stolen = steal_from_victim(member, made);
  if (!stolen.task)
    visit_near_first(made.number_of(member), made.size(), made.a_node(), [&](int i) {
      stolen = made.at(i).steal(member.thread->pu);
      return stolen.task != nullptr;
    });
  return stolen;
}

// Where nothing is queued there is nothing to wait for: the region may end.
void rest(const Member& member, const StealPace& pace) {
  if (!pace.rests_now() || !member.team->tasks.has_queued()) return;
  while (pace.rests_now() && !sched::others_wait(*member.thread)) base::relax();
}

ExplicitTask* take_own(Member& member, TaskQueues& made) {
  const int pu = member.thread->pu;
  ExplicitTask* task = made.urgent.take_oldest(pu);
  return task ? task : made.of(member).take_newest(pu);
}

bool run_all_that_follow(Member& member, ExplicitTask* task) {
  if (!task) return false;
  wake_another(*member.team);
  while (task) task = execute_for_next(member, *task);
  return true;
}

constexpr int64_t longest_rest_ns = 4000;

// A task that made others was worth taking, however briefly it ran.
bool run_stolen(Member& member, TaskQueues& made, const Stolen& stolen) {
  if (!run_all_that_follow(member, stolen.task)) return false;
  const uint64_t now = os::read_ticks_early();
  const uint64_t ran = made.of(member).count_relaxed() == 0 ? now - stolen.taken : UINT64_MAX;
  made.pace().ended(now, stolen.taken - stolen.begun, ran, os::ticks_in(longest_rest_ns));
  if (made.pace().has_rest()) member.victim = -1;
  return true;
}

}  // namespace

bool TaskPool::run_near(Member& member, TaskQueues& made) {
  return run_all_that_follow(member, take_own(member, made)) ||
         run_stolen(member, made, steal_from_victim(member, made));
}

bool TaskPool::run_any(Member& member, TaskQueues& made) {
  if (run_all_that_follow(member, take_own(member, made))) return true;
  rest(member, made.pace());
  return run_stolen(member, made, steal_from_any(member, made));
}

}  // namespace xylem::omp
