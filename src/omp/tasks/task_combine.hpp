// Owns: task reductions whose copies the runtime initialises and combines (Clang's door). Those of
// which compiled code does that: task_reduction.hpp, whose blocks serve both.
//
// A copy is initialised when its thread first asks for it, and only such copies are combined into
// the variables, when the taskgroup of the construct ends. In a team of one there are no
// copies: tasks use the variables.
#pragma once

#include "omp/tasks/task_reduction.hpp"

namespace xylem::omp {

struct Taskgroup;

// The two constructs of a team of which all members have a part at the same time: the region, and
// one worksharing construct. Their variables are each member's own, the copies are common. The last
// member that ends combines them into its variables; the construct's own reduction goes on from
// there.
//   ReductionBlock::users of the first block == members that have not ended the construct
enum class SharedBy : uint8_t { region, worksharing };

// The block's variables become those of the current taskgroup, or of a new one for the construct.
void begin_combining(Member& member, ReductionBlock& block);
void begin_combining(Member& member, ReductionBlock& block, SharedBy construct);

// Ends the taskgroup, when its tasks are complete and their copies combined.
void end_taskgroup_combining(Member& member);
void end_combining(Member& member, SharedBy construct);

// Where the calling member's tasks find the variable at `address`, or of which some thread's copy
// is there. `innermost`: the taskgroup to begin with; null: the current task's.
void* copy_to_combine(Member& member, Taskgroup* innermost, const void* address);

// By the end of a region that was cancelled: what members have not ended.
void drop_shared_reductions(Team& team);

}  // namespace xylem::omp
