// Owns: deferred tasks, and the steps of their life that several files share.
#pragma once

#include "omp/tasks/depend.hpp"
#include "omp/tasks/task.hpp"
#include "omp/tasks/task_event.hpp"

namespace xylem::omp {

// Lies at the start of one block: |ExplicitTask|Dependences and nodes, if it has some|arguments|.
struct ExplicitTask : Task {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
  Team* team = nullptr;
  Family* siblings = nullptr;     // that it is counted in: its parent's other deferred children
  Taskgroup* group = nullptr;     // that it began in, and is counted in
  ExplicitTask* older = nullptr;  // in its queue, by its lock
  ExplicitTask* newer = nullptr;  // likewise
  Dependences* dependences = nullptr;
  Event* event = nullptr;  // null: not detachable
  size_t bytes = 0;        // size of the block
  int priority = 0;
  int home = -1;            // memory node of what it depends on, when it was made; -1: not known
  bool detachable = false;  // it has, or had, an event
  bool must_run = false;    // even when cancelled: its arguments were copied by a constructor
};

// Counts a task that was blocked as queued from now on, and queues it (push_task).
void make_task_ready(ExplicitTask& task, Member* by);
// Puts a task that is counted as queued where it is found. `by`: the caller, null if it is no
// member of the team.
void push_task(ExplicitTask& task, Member* by);
// Runs a task that was taken, or never queued, to its end (or its detaching).
void execute(Member& member, ExplicitTask& task);
// The same for one who may run any task: the first that waited for this one alone is returned
// instead of queued, to be run next; it counts as taken. Null if there is none.
ExplicitTask* execute_for_next(Member& member, ExplicitTask& task);
// A task's body, and its event if it has one, is over. The caller sees to it that the team lives,
// and, if it gives a `next`, runs what it gets there.
void complete(ExplicitTask& task, Member* by, ExplicitTask** next = nullptr);

}  // namespace xylem::omp
