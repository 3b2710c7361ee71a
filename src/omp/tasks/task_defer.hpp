// Owns: the steps that creating a task (task_create.cpp) and submitting one (task_submit.cpp)
// share: whether it is run at once, how it becomes a child, how it is deferred. Inline, as every
// task passes here.
//
// Throttling: when a task has more than 64 outstanding children for each thread of the team, or the
// member's queue is full, a new task is run at once by the one that creates it, unless it, or one
// before it, may wait for an event.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mem/map/nodes.hpp"
#include "omp/tasks/task_create.hpp"
#include "omp/tasks/task_data.hpp"
#include "omp/tasks/task_explicit.hpp"
#include "omp/tasks/task_home.hpp"
#include "omp/tasks/task_queue.hpp"
#include "omp/tasks/task_wait.hpp"
#include "omp/team/team.hpp"
#include "omp/tool/listening.hpp"

namespace xylem::omp {

// A new task: it is cancelled; run by the member now; or deferred.
enum class HowToRun : uint8_t { not_at_all, at_once, deferred };

struct TaskTraits {
  bool undeferred = false;
  bool has_event = false;
};

inline constexpr int most_in_a_queue = 256;

inline bool crowded(Member& member) {
  const auto n = static_cast<uint32_t>(member.team->n);
  if (n == 1) return true;
  const ChildTasks* child_tasks = member.task->child_tasks;
  if (child_tasks && child_tasks->counter.outstanding() > children_per_thread * n) return true;
  TaskQueues* made = member.team->tasks.made_queues();
  return made && made->of(member).count_relaxed() >= most_in_a_queue;
}

// True if a task is better run by the caller. May wait for tasks before it.
inline bool better_at_once(Member& member, DependList dependences) {
  const Team& team = *member.team;
  if (!crowded(member)) return false;
  if (dependences.empty()) return true;
  if (!must_wait_for_dependences(member, dependences)) {
    if (hetero::any_named()) [[unlikely]]
      wait_for_data(member, dependences);
    return true;
  }
  // relaxed: only this member's own earlier tasks matter
  if (team.tasks.open_events.load(std::memory_order_relaxed) > 0) return false;
  wait_for_dependences(member, dependences);
  return true;
}

// Waits for tasks before it if the task is to be run at once.
[[gnu::always_inline]] inline HowToRun how_to_run(Member& member, const DependList& dependences,
                                                  TaskTraits traits) {
  if (new_tasks_are_discarded(member)) return HowToRun::not_at_all;
  if (traits.undeferred || member.task->final) {
    if (!dependences.empty()) wait_for_dependences(member, dependences);
    return HowToRun::at_once;
  }
  if (!traits.has_event && better_at_once(member, dependences)) return HowToRun::at_once;
  return HowToRun::deferred;
}

// The undeferred task becomes the member's current one, inside the one before, its creator.
[[gnu::always_inline]] inline void enter_undeferred(Member& member, Task& task, Task& creator) {
  task.icvs.inherit(creator.icvs);
  task.taskgroup = creator.taskgroup;
  member.task = &task;
}

// The priority that OMP_MAX_TASK_PRIORITY leaves of a clause.
inline int allowed_priority(int wanted) {
  return wanted > 0 ? std::min(wanted, globals().max_task_priority) : 0;
}

// Makes the task a child of the member's current one. `final`: the clause.
[[gnu::always_inline]] inline void adopt(Member& member, ExplicitTask& task, bool final) {
  Task& parent = *member.task;
  task.icvs.inherit(parent.icvs);
  task.taskgroup = parent.taskgroup;
  task.final = final || parent.final;
  task.kind = TaskKind::deferred;
  task.team = member.team;
  task.siblings = &parent.own_child_tasks(*member.team);
  task.group = parent.taskgroup;
}

// From here on the parent, the taskgroup, and barriers wait for it.
inline void count(ExplicitTask& task, TaskCounter::State state) {
  task.siblings->counter.begin_one(state);
  if (task.group) task.group->tasks.begin_one(state);
  if ((task.at_return & AtReturn::event) != 0)
    task.team->tasks.open_events.fetch_add(1, std::memory_order_relaxed);  // a hint
}

// Of enter_dependences(): the table of its parent's children, which is there.
inline bool enter_siblings(ExplicitTask& task, DependList dependences) {
  if (tool::on()) [[unlikely]]
    return enter_dependences_told(task, dependences);
  DependTable& table = *task.siblings->depends;
  base::Locked locked(table.lock);
  table.enter(task, dependences);
  return task.dependences->blocked.unmet == 0 && table.acquire(task);
}

// True if the task waits for none before it. If it does it may run, and be gone, at any time.
inline bool enter_dependences(ExplicitTask& task, DependList dependences) {
  if (task.home < 0 && task.team->n > 1 && mem::node_count() > 1)
    task.home = home_of(*task.team, dependences);
  ChildTasks& child_tasks = *task.siblings;
  if (!child_tasks.depends) child_tasks.depends = new DependTable;
  if (hetero::any_named()) [[unlikely]]
    return enter_with_data(task, dependences);
  return enter_siblings(task, dependences);
}

// Defers a task that was adopted; it may run, and be gone, at any time.
[[gnu::always_inline]] inline void defer(Member& member, ExplicitTask& task,
                                         const DependList& dependences) {
  const bool alone = member.team->n == 1;
  if (dependences.empty() && !alone) [[likely]] {
    count(task, TaskCounter::State::queued);
    sched::record_new_work(*member.thread);  // taskyield() may run it
    push_task(task, &member);
    return;
  }
  count(task, TaskCounter::State::blocked);
  if (!dependences.empty() && !enter_dependences(task, dependences)) return;
  if (alone) {
    execute(member, task);
  } else {
    make_task_ready(task, &member);
  }
}

}  // namespace xylem::omp
