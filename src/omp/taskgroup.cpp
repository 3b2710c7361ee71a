// Owns: taskgroups. See taskgroup.hpp.
#include "omp/taskgroup.hpp"

#include "omp/task_explicit.hpp"
#include "omp/team.hpp"

namespace xylem::omp {

Taskgroup& taskgroup_start(Member& member) {
  auto* group = new Taskgroup;
  Task& task = *member.task;
  group->enclosing = task.taskgroup;
  if (group->enclosing) group->reductions = group->enclosing->reductions;
  task.taskgroup = group;
  return *group;
}

void taskgroup_end(Member& member) XYLEM_NO_THREAD_ANALYSIS {  // the lock goes to wait_as()
  Taskgroup* group = member.task->taskgroup;
  if (!group) return;
  TaskPool& pool = member.team->tasks;
  // acquire: pairs with the decrement in let_go(); what the tasks wrote is seen
  while (group->count.load(std::memory_order_acquire) > 0) {
    pool.lock.lock();
    ExplicitTask* task = group->ready.head;
    if (task) {
      take_ready(pool, *task);
      pool.lock.unlock();
      execute(member, *task);
    } else if (group->count.load(std::memory_order_acquire) == 0) {
      pool.lock.unlock();
    } else {
      wait_as(group->waiter, pool);
    }
  }
  member.task->taskgroup = group->enclosing;
  delete group;
}

}  // namespace xylem::omp
