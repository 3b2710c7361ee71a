// Owns: a team's queues of tasks: making them, and who takes from which. See task.hpp.
#include <algorithm>

#include "omp/tasks/near_first.hpp"
#include "omp/tasks/task_explicit.hpp"
#include "omp/tasks/task_queue.hpp"
#include "omp/team/runtime.hpp"
#include "omp/team/team.hpp"
#include "omp/team/team_memory.hpp"

namespace xylem::omp {

void TaskPool::close() {
  // relaxed: all members have departed
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

// A task of the queue that TaskWatch named, and the next ones from there until it is empty.
ExplicitTask* take_of_victim(Member& member, TaskQueues& made) {
  if (member.victim < 0) return nullptr;
  TaskQueue& victim = made.any(member.victim);
  ExplicitTask* task = victim.take_oldest(member.thread->pu);
  if (!task || victim.count_relaxed() == 0) member.victim = -1;
  return task;
}

ExplicitTask* take_near(Member& member, TaskQueues& made) {
  const int pu = member.thread->pu;
  ExplicitTask* task = made.urgent.take_oldest(pu);
  if (!task) task = made.of(member).take_newest(pu);
  return task ? task : take_of_victim(member, made);
}

bool run_all_that_follow(Member& member, ExplicitTask* task) {
  if (!task) return false;
  wake_another(*member.team);
  while (task) task = execute_for_next(member, *task);
  return true;
}

}  // namespace

bool TaskPool::run_near(Member& member, TaskQueues& made) {
  return run_all_that_follow(member, take_near(member, made));
}

bool TaskPool::run_any(Member& member, TaskQueues& made) {
  const int own = made.number_of(member);
  ExplicitTask* task = take_near(member, made);
  if (!task)
    visit_near_first(own, made.size(), made.a_node(), [&](int i) {
      task = made.at(i).take_oldest(member.thread->pu);
      return task != nullptr;
    });
  return run_all_that_follow(member, task);
}

}  // namespace xylem::omp
