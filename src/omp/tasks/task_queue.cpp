// Owns: the operations of a queue of tasks. See task_queue.hpp.
#include "omp/tasks/task_queue.hpp"

#include <new>

#include "mem/map/nodes.hpp"
#include "omp/tasks/task_blocks.hpp"
#include "os/ticks.hpp"

namespace xylem::omp {

void TaskQueue::push(ExplicitTask& task) {
  base::Locked locked(lock_);
  ExplicitTask* older = newest_;
  while (older && older->priority < task.priority) older = older->older;
  ExplicitTask* newer = older ? older->newer : oldest_;
  task.older = older;
  task.newer = newer;
  (older ? older->newer : oldest_) = &task;
  (newer ? newer->older : newest_) = &task;
  pushes_.store(pushes() + 1, std::memory_order_relaxed);  // before the count: see TaskWatch
  count_.fetch_add(1, std::memory_order_seq_cst);
}

void TaskQueue::take_out(ExplicitTask& task) {
  (task.older ? task.older->newer : oldest_) = task.newer;
  (task.newer ? task.newer->older : newest_) = task.older;
  // relaxed: only a push must be seen at once
  count_.store(count_relaxed() - 1, std::memory_order_relaxed);
  task.siblings->counter.take_one();
  if (task.group) task.group->tasks.take_one();
}

namespace {

constexpr int tasks_to_examine = 8;

// `first`, or one of the next ones that are as urgent whose data is near the PU.
ExplicitTask* near(ExplicitTask* first, ExplicitTask* ExplicitTask::*next, int pu) {
  if (!first || first->home < 0) [[likely]]
    return first;
  const int here = mem::node_of_pu(pu);
  ExplicitTask* task = first;
  for (int looked = 0; task && looked < tasks_to_examine; ++looked) {
    if (task->priority != first->priority) break;
    if (task->home == here) return task;
    task = task->*next;
  }
  return first;
}

}  // namespace

ExplicitTask* TaskQueue::take_near(ExplicitTask* first, Link next, int pu) {
  ExplicitTask* task = near(first, next, pu);
  if (task) take_out(*task);
  return task;
}

ExplicitTask* TaskQueue::take_from(End end, Link next, int pu) {
  if (count_relaxed() == 0) return nullptr;
  base::Locked locked(lock_);
  return take_near(this->*end, next, pu);
}

ExplicitTask* TaskQueue::take_newest(int pu) {
  return take_from(&TaskQueue::newest_, &ExplicitTask::older, pu);
}

ExplicitTask* TaskQueue::take_oldest(int pu) {
  return take_from(&TaskQueue::oldest_, &ExplicitTask::newer, pu);
}

Stolen TaskQueue::steal(int pu) {
  if (count_relaxed() == 0) return {};
  base::Locked locked(lock_);
  const uint64_t begun = os::read_ticks_early();
  ExplicitTask* task = take_near(oldest_, &ExplicitTask::newer, pu);
  return {task, begun, os::read_ticks_early()};
}

TaskQueues& TaskQueues::make(int size, int a_node) {
  auto* queues = new (take_block(bytes_for(size))) TaskQueues(size, a_node);
  for (int i = 0; i < size; ++i) new (&queues->at(i)) TaskQueue;
  return *queues;
}

void TaskQueues::free() { put_block(this, bytes_for(size_)); }

}  // namespace xylem::omp
