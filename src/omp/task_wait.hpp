// Owns: where tasks wait for tasks: taskwait, taskyield, dependences of undeferred tasks.
//
// A task that waits runs its own ready children only, as the task scheduling constraint wants; each
// task that it waits for is thus run by it, or by somebody who makes progress.
#pragma once

namespace xylem::omp {

struct Member;

// Until all children of the current task are complete.
void taskwait(Member& member);

// Until the children are complete that a new child with these dependences would wait for.
void wait_for_dependences(Member& member, void** depend);
bool must_wait_for_dependences(Member& member, void** depend);

// Runs one ready child, or lets another fiber run.
void taskyield(Member& member);

}  // namespace xylem::omp
