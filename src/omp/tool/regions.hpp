// Owns: what a tool is told of parallel regions, leagues and their implicit tasks.
//
// A region that the program opens while a tool listens is opened by these functions instead of
// those of team.hpp: its members run told_member_body(), and meet in a barrier before they end,
// which is what the specification calls the implicit barrier of the region. Nothing else of a
// region asks whether there is a tool.
#pragma once

#include "omp/tool/records.hpp"

namespace xylem::omp {
struct LoopRequest;
}

namespace xylem::omp::tool {

// The whole region: parallel() of team.hpp.
bool parallel(Call call, const Region& region);
// In two halves, between which the caller runs the function itself as member 0.
void parallel_begin(Call call, const Region& region);
bool parallel_end(Call call);

// A region that is one loop or one sections construct (parallel_loop_begin() of loop.hpp), whole
// and in two halves. `region` without prepare; `request` outlives the call; `work`: what a tool
// calls it (work.hpp).
bool parallel_loop(Call call, Region region, const LoopRequest& request, const WorkRecord& work);
void parallel_loop_begin(Call call, Region region, const LoopRequest& request,
                         const WorkRecord& work);

// By told_member_body(): the member's implicit task, from its begin into the barrier; and its end,
// when the member has no more tasks to run. Not `first`: it has departed, and comes back to run
// tasks, for the tool in an implicit task of its own.
void be_implicit_task(Team& team, Member& member, TaskRecord& task, bool first);
void end_implicit_task(Team& team, Member& member, bool first);

// The calling task's region as the tool knows it.
inline Data* region_of(const TaskRecord& task) { return &task.region->data; }

}  // namespace xylem::omp::tool
