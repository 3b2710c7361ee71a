// Owns: the records of child tasks, and the life of a deferred task from ready to complete. See
// task.hpp and task_explicit.hpp.
#include "omp/tasks/task.hpp"

#include <new>

#include "hetero/run/named_access.hpp"
#include "omp/tasks/task_blocks.hpp"
#include "omp/tasks/task_explicit.hpp"
#include "omp/tasks/task_queue.hpp"
#include "omp/tasks/task_submit.hpp"
#include "omp/team/team.hpp"
#include "omp/team/tracing.hpp"
#include "omp/tool/submitted_tasks.hpp"

namespace xylem::omp {

// --- child tasks ---------------------------------------------------------------------------------

ChildTasks& Task::make_child_tasks(Team& team) {
  ChildTasks* above = nullptr;
  if (kind == TaskKind::deferred) above = static_cast<ExplicitTask*>(this)->siblings;
  if (kind == TaskKind::undeferred) above = &creator->own_child_tasks(team);
  child_tasks =
      new (take_block(sizeof(ChildTasks))) ChildTasks(team, above, kind == TaskKind::undeferred);
  return *child_tasks;
}

namespace {

void free_child_tasks(ChildTasks& child_tasks) {
  delete child_tasks.depends;
  put_block(&child_tasks, sizeof(ChildTasks));
}

// The last use of the team, unless the caller holds it.
void end_left_family(Team& team) {
  const bool alone = team.n == 1;
  if (team.tasks.left_child_tasks.fetch_sub(1) != 1) return;
  if (alone)
    tell_alone(team);
  else
    tasks_drained(team);
}

}  // namespace

void release_child_tasks(ChildTasks& first) {
  ChildTasks* child_tasks = &first;
  // acq_rel: who brings it to 0 sees what all others wrote
  while (child_tasks->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    ChildTasks* above = child_tasks->above;
    Team& team = child_tasks->team;
    free_child_tasks(*child_tasks);
    if (!above) return end_left_family(team);
    child_tasks = above;
  }
}

void Task::leave_children() {
  ChildTasks& left = *child_tasks;
  child_tasks = nullptr;
  if (left.done()) return free_child_tasks(left);
  if (left.above) {
    // relaxed: the caller is counted there, or runs inside; that it is not the last is certain
    left.above->references.fetch_add(1, std::memory_order_relaxed);
  } else {
    left.team.tasks.left_child_tasks.fetch_add(1);
  }
  if (left.counter.close()) release_child_tasks(left);
}

// --- ready ---------------------------------------------------------------------------------------

void push_task(ExplicitTask& task, Member* by) {
  Team& team = *task.team;
  TaskQueues* made = team.tasks.made_queues();
  TaskQueues& queues = made ? *made : team.tasks.make_queues(team);
  if (task.priority > 0)
    queues.urgent.push(task);
  else
    (by ? queues.of(*by) : queues.at(0)).push(task);
  wake_helper(team);
}

void make_task_ready(ExplicitTask& task, Member* by) {
  task.siblings->counter.queue_one();
  if (task.group) task.group->tasks.queue_one();
  push_task(task, by);
}

// --- running -------------------------------------------------------------------------------------

namespace {

bool discarded(const ExplicitTask& task) {
  if (task.must_run || !globals().cancellation) return false;
  // relaxed: a task may start although a cancel is on its way
  return task.team->cancelled.load(std::memory_order_relaxed) != 0 || is_cancelled(task.group);
}

void destroy_data(ExplicitTask& task) {
  if ((task.at_return & AtReturn::destructors) == 0) return;
  auto& submitted = static_cast<SubmittedTask&>(task);
  submitted.destroy(submitted.data);
}

// What is left when a task's function has returned. True if the task is to be completed; else it
// may be gone already.
[[gnu::noinline]] bool ends_after_return(ExplicitTask& task) {
  if ((task.at_return & AtReturn::parts) != 0 && !static_cast<SubmittedTask&>(task).end_part())
    return false;
  destroy_data(task);
  return (task.at_return & AtReturn::event) == 0 || !detaches(task);
}

bool is_told(const ExplicitTask& task) { return tool::on() && !task.untold; }

tool::AtEnd at_end(const ExplicitTask& task) {
  const bool detaches = (task.at_return & AtReturn::event) != 0;
  return {detaches, detaches || task.dependences};
}

void run_told(Member& member, ExplicitTask& task, const Task& outer) {
  if (!tool::run_deferred_body(member, task, outer, at_end(task)))
    submit_next_part(member, static_cast<SubmittedTask&>(task));
}

// The body, where the trace or a tool is told of it.
[[gnu::cold]] void run_watched(Member& member, ExplicitTask& task, const Task& outer) {
  trace::emit<traced::task_begin>(member);
  if (task.untold) task.told = outer.told;
  if (is_told(task))
    run_told(member, task, outer);
  else
    task.function(task.data);
  trace::emit<traced::task_end>(member);
}

void run(Member& member, ExplicitTask& task, ExplicitTask** next) {
  Task* outer = member.task;
  if (discarded(task)) {
    if (is_told(task)) tool::discard(member, task, at_end(task));
    end_unrun(task);
    complete(task, &member, next);
    return;
  }
  member.task = &task;
  if (trace::watched()) [[unlikely]]
    run_watched(member, task, *outer);
  else
    task.function(task.data);
  const bool ended = task.at_return == AtReturn::nothing || ends_after_return(task);
  member.task = outer;
  if (ended) complete(task, &member, next);
  sched::scheduling_point(*member.thread);
}

}  // namespace

bool detaches(ExplicitTask& task) {
  Team& team = *task.team;
  hold_region(team);  // fulfill() releases it
  if (end_before_event(*task.event, Event::body_ended)) return true;
  release_region(team);
  return false;
}

void end_unrun(ExplicitTask& task) {
  if (task.at_return & AtReturn::event) end_before_event(*task.event, Event::discarded);
  destroy_data(task);
}

void execute(Member& member, ExplicitTask& task) { run(member, task, nullptr); }

ExplicitTask* execute_for_next(Member& member, ExplicitTask& task) {
  ExplicitTask* next = nullptr;
  run(member, task, &next);
  return next;
}

namespace {

// Tasks that wait for this one learn that it has ended.
void let_dependents_go(ExplicitTask& task, Member* by, ExplicitTask** next) {
  ChildTasks& child_tasks = *task.siblings;
  DependTable& table = *child_tasks.depends;
  ExplicitTask* ready = nullptr;  // linked by `older`
  bool made_ready = false;
  table.lock.lock();
  table.leave(task);
  for (Blocked* blocked : task.dependences->dependents) {
    if (--blocked->unmet > 0) continue;
    if (!blocked->task) {
      made_ready = true;
    } else if (table.acquire(*blocked->task)) {
      blocked->task->older = ready;
      ready = blocked->task;
    }
  }
  table.lock.unlock();
  if (made_ready) child_tasks.counter.tell();
  while (ready) {
    ExplicitTask& one = *ready;
    ready = one.older;
    if (next && !*next && one.priority == 0)
      *next = &one;
    else
      make_task_ready(one, by);
  }
}

}  // namespace

void complete(ExplicitTask& task, Member* by, ExplicitTask** next) {
  ChildTasks& siblings = *task.siblings;
  Taskgroup* group = task.group;
  if ((task.at_return & AtReturn::event) != 0) [[unlikely]]
    task.team->tasks.open_events.fetch_sub(1, std::memory_order_relaxed);  // a hint
  if (task.dependences && task.dependences->data) [[unlikely]]
    hetero::end_access(*task.dependences->data);
  if (task.dependences) [[unlikely]]
    let_dependents_go(task, by, next);
  if (is_told(task) && at_end(task).stays) [[unlikely]]
    tool::forget(task);
  free_task(task);  // and leaves its own child tasks, before it is let go itself
  if (group) group->tasks.end_one();
  if (siblings.counter.end_one()) release_child_tasks(siblings);
}

}  // namespace xylem::omp
