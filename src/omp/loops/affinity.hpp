// Owns: the loops of the program whose iterations have owners (XYLEM_SCHEDULE=affinity): what is
// remembered of each, and how a run of it is divided. Loops are told apart by where they stand in
// the program's code and by the number of members. In dynamic ones an owner only begins with its
// iterations (loop_homes.hpp).
//
// Invariant: all members of a run see the owners that the maker of its record chose; the extent and
// the trial of a loop change only there, under its lock.
#pragma once

#include <cstdint>

#include "count/engine/loops.hpp"
#include "omp/loops/loop.hpp"

namespace xylem::omp {

class LoopSite;  // a loop of the program, with a number of members

// Written when the runtime starts, before any region.
struct LoopAffinity {
  bool on = false;            // schedule(runtime) and schedule(auto)
  bool static_loops = false;  // and static loops that come by a call
  bool dynamic_loops = false;
};
extern constinit LoopAffinity loop_affinity;

// As the settings say; once, before engines start.
void start_loop_affinity();
// Which loops with owners began since it was asked last. Their iterations go elsewhere where the
// engines say so (owners_by_engines).
count::LoopsRan take_owned_loops();

// Gives the request affinity: of the loop whose entry point was called from `code`, or whose region
// runs the function `code`. What is ordered or doacross is left as it is.
void add_affinity(LoopRequest& request, const void* code);

// Of a record that nobody else uses yet: chooses the owners of the request's iterations, or blocks
// where they cannot be numbered.
void choose_owners(WorkShare& share, int members, const LoopRequest& request);
// The member's next chunk in such a record; none: the member has no more.
Chunk next_owned(Member& member, WorkShare& share);
// Its first one, the only one of a loop in blocks.
Chunk owned_block(const Member& member, const WorkShare& share);

// Of a record that nobody else uses yet, whose loop is dynamic and has its place in the program's
// code: deals its chunks to their owners. False: it stays as it is, as it has none.
bool deal_to_owners(WorkShare& share, int members, const LoopRequest& request);
// The iterations of a chunk that was dealt in turn.
Chunk chunk_in_turn(const WorkShare& share, uint64_t number);
// Which of the ranges is the member's: of its lane (lane_of), or that of whose iterations it has.
int owned_range(const Member& member, int ranges);
// A member of a loop that was divided so, or dealt, has no more iterations in the run: it may be
// timed.
void end_run(const WorkShare& share);

}  // namespace xylem::omp
