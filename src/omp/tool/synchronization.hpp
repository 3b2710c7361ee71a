// Owns: what a tool is told of barriers, taskwaits, taskgroups and reductions. Each function does
// what the one of its name in omp/ does, and tells.
#pragma once

#include "omp/tasks/depend.hpp"
#include "omp/tasks/task_combine.hpp"
#include "omp/tool/records.hpp"

namespace xylem::omp {
struct Taskgroup;
}

namespace xylem::omp::tool {

// `kind`: one of the barriers.
void barrier(Call call, SyncKind kind);
bool barrier_cancel(Call call, SyncKind kind);
// The implicit barrier at a region's end, to which only member 0 comes by a call of the program's.
// Who left the region early stands in no barrier: it only begins and ends. Between the two the
// member runs tasks that are left.
void begin_barrier_of_region(Member& member, TaskRecord& task);
void end_barrier_of_region(Member& member, TaskRecord& task);
// A barrier inside another construct, which has said enter_runtime().
void inner_barrier(Member& member, const void* code);

void taskwait(Call call);
void wait_for_dependences(Call call, DependList dependences);

Taskgroup& taskgroup_start(Call call);
void taskgroup_end(Call call);
void end_taskgroup_combining(Call call);
// The taskgroup of a construct whose members share a task reduction.
void begin_combining(Call call, ReductionBlock& block, SharedBy construct);
void end_combining(Call call, SharedBy construct);

// The calling task combines its part of a reduction.
void begin_reduction(Call call);
void end_reduction(Call call);

// The two halves of Inside, for who calls the program in between.
void enter_runtime(TaskRecord& task, Call call);
void leave_runtime(TaskRecord& task);

}  // namespace xylem::omp::tool
