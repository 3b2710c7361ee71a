// Owns: dynamic loops of the program that are repeated (XYLEM_REPEAT_DYNAMIC): who ran which
// iterations in a loop's first run runs them in each later one, so that these are where their pages
// are (paper 001, section 3.1.2). Loops are told apart by where they stand in the program's code,
// by their bounds and step, and by the number of members.
//
// Invariant: one run of a loop is recorded, if no plan of an earlier run of the program has its
// schedule. Until all members have come to the end of that run, other runs of the loop are dynamic;
// then the schedule is never changed.
#pragma once

#include <span>
#include <vector>

#include "count/saved/saved_plan.hpp"
#include "omp/loops/loop.hpp"

namespace xylem::omp {

class RepeatedLoop;  // a loop of the program, with a number of members

// Written when the runtime starts, before any region.
extern constinit bool dynamic_loops_repeat;

// As the settings say; once.
void start_repeated_loops();

// Loops of a plan have its schedules in each run. Once, before any region; the process keeps them.
void adopt_loops(std::span<const count::SavedLoop> saved);
// When the process ends: names loops that were adopted and never came.
void say_missing_loops();
// The loops that are repeated, for a plan: in its order.
std::vector<count::SavedLoop> repeated_loops();

// Of a record that nobody else uses yet, whose loop is dynamic or guided: makes it one that is
// recorded, or repeated. False: it stays as it is.
bool repeat_loop(WorkShare& share, int members, const LoopRequest& request);

// In a loop that is recorded: the member has got the chunk; none: it is done.
void record_chunk(const Member& member, WorkShare& share, const Chunk& chunk);
// The member's next chunk in a loop that is repeated; none: the member has no more.
Chunk next_repeated(Member& member, const WorkShare& share);

}  // namespace xylem::omp
