// Owns: deferred tasks, and the steps of their life that several files share.
#pragma once

#include "omp/tasks/depend.hpp"
#include "omp/tasks/task.hpp"
#include "omp/tasks/task_blocks.hpp"
#include "omp/tasks/task_event.hpp"

namespace xylem::omp {

// Bits: what there is to do when a task's function has returned, before the task is complete.
struct AtReturn {
  enum : uint8_t {
    nothing = 0,
    event = 1,       // it has, or had, an event: wait for it
    parts = 2,       // it is a SubmittedTask that may have further parts
    destructors = 4  // it is a SubmittedTask with SubmittedTask::destroy
  };
};

// Lies at the start of one block: |ExplicitTask|Dependences and nodes, if it has some|arguments|.
// That of a task whose block the program fills in: task_submit.hpp.
struct ExplicitTask : Task {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
  Team* team = nullptr;
  ChildTasks* siblings = nullptr;  // that it is counted in: its parent's other deferred children
  Taskgroup* group = nullptr;      // that it began in, and is counted in
  ExplicitTask* older = nullptr;   // in its queue, by its lock
  ExplicitTask* newer = nullptr;   // likewise
  Dependences* dependences = nullptr;
  Event* event = nullptr;
  size_t bytes = 0;  // size of the block
  int priority = 0;
  int home = -1;  // memory node of what it depends on, when it was made; -1: not known
  uint8_t at_return = AtReturn::nothing;
  bool untold = false;    // no tool is told of it: it has the record of the task that it runs on
  bool must_run = false;  // even when cancelled: it has begun, or its function destroys arguments

  // Keeps the event with a task that was not submitted yet.
  void wait_for(Event& its_event) {
    event = &its_event;
    event->task = this;
    at_return |= AtReturn::event;
  }
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
// A task will not run: ends its event, and what the program put into its block.
void end_unrun(ExplicitTask& task);
// By who ran the body of a task with a detach clause. True if the task is to wait for its event;
// then it may be complete and gone already.
bool detaches(ExplicitTask& task);
// Frees a task that is complete, or never began.
inline void free_task(ExplicitTask& task) {
  const size_t bytes = task.bytes;
  if (Dependences* all = task.dependences) {
    const size_t own_block = all->own_block;
    all->~Dependences();
    if (own_block > 0) put_block(all, own_block);
  }
  task.~ExplicitTask();
  put_block(&task, bytes);
}
// A task's body, and its event if it has one, is over. The caller sees to it that the team lives,
// and, if it gives a `next`, runs what it gets there.
void complete(ExplicitTask& task, Member* by, ExplicitTask** next = nullptr);

}  // namespace xylem::omp
