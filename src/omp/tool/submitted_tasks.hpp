// Owns: what a tool is told of tasks that the program fills in before it submits them (Clang's
// door). A function that has a namesake in tasks/task_submit.hpp does what that does, and tells.
//
// A task that was submitted while no tool listened, or by no entry point, has no record of its own
// (ExplicitTask::untold).
#pragma once

#include "omp/tasks/task_submit.hpp"
#include "omp/tool/tasks.hpp"

namespace xylem::omp::tool {

// `told`: what the tool is told of the dependences.
void submit_task(Call call, Member& member, SubmittedTask& task, DependList dependences,
                 DependList told);
// For each task of a taskloop.
void submit_task_of_loop(Member& member, SubmittedTask& task, const TaskRange& range,
                         bool undeferred);

// Where the compiled code runs the task itself, between the two.
// `caller`: callers_frame_pointer().
void begin_undeferred(Call call, void* caller, Member& member, SubmittedTask& task);
void end_undeferred(Member& member, SubmittedTask& task);

// By the function of an untied task. The part is queued when the function has returned, so that no
// two threads run the task as the tool sees it.
void submit_next_part(Member& member, SubmittedTask& task);

// The bodies: of an undeferred task with all its parts; of a deferred one, or of one of its parts.
void run_undeferred_body(Member& member, SubmittedTask& task);
bool run_deferred_body(Member& member, ExplicitTask& task, const Task& outer, AtEnd at_end);

}  // namespace xylem::omp::tool
