// Owns: taskgroups. See taskgroup.hpp.
#include "omp/tasks/taskgroup.hpp"

#include "omp/tasks/task_wait.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

Taskgroup& taskgroup_start(Member& member) {
  auto* group = new Taskgroup;
  Task& task = *member.task;
  group->enclosing = task.taskgroup;
  if (Taskgroup* around = group->enclosing)
    group->around_with_reductions = around->reductions ? around : around->around_with_reductions;
  task.taskgroup = group;
  return *group;
}

void taskgroup_end(Member& member) {
  Taskgroup* group = member.task->taskgroup;
  if (!group) return;
  wait_for_group(member, *group);
  member.task->taskgroup = group->enclosing;
  delete group;
}

}  // namespace xylem::omp
