// Owns: where tasks wait for tasks: taskwait, taskyield, dependences of undeferred tasks.
//
// A task that waits runs tasks that it waits for, and when others have taken all of these, tasks
// that one of them waits for in turn: only what must be done before it can go on. So it never
// begins, on top of its own frames, what would have to wait for itself. (The task scheduling
// constraint allows more: any descendant.)
#pragma once

#include "omp/tasks/depend.hpp"
#include "omp/team/team.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

struct Taskgroup;

// Until all children of the current task are complete.
void taskwait(Member& member);

// Until all tasks of the group are.
void wait_for_group(Member& member, Taskgroup& group);

// Until the children are complete that a new child with these dependences would wait for; and
// wait_for_data().
void wait_for_dependences(Member& member, DependList dependences);
bool must_wait_for_dependences(Member& member, DependList dependences);
// Until codelets have ended that were submitted with the data that the dependences name; it is in
// main memory then.
void wait_for_data(Member& member, DependList dependences);
// Enters the dependences of a task that is made, and tells a tool of each task before it. True if
// the task waits for none; if it does it may run, and be gone, at any time.
bool enter_dependences_told(ExplicitTask& task, DependList dependences);

// Runs one ready child, or now and then lets another fiber run.
void taskyield_to_others(Member& member);

// Programs call it very often, most often for nothing.
inline void taskyield() {
  const sched::Thread* self = sched::current_thread();
  if (self && !sched::yield_may_help(*self)) [[likely]]
    return;
  taskyield_to_others(current_member());
}

}  // namespace xylem::omp
