// Owns: the loops of the program whose iterations have owners (XYLEM_SCHEDULE=affinity): what is
// remembered of each, and how a run of it is divided. Loops are told apart by where they stand in
// the program's code and by the number of members.
//
// Invariant: all members of a run see the owners that the maker of its record chose; the extent and
// the trial of a loop change only there, under its lock.
#pragma once

#include <cstdint>

#include "omp/loops/loop.hpp"

namespace xylem::omp {

class LoopSite;  // a loop of the program, with a number of members

// Written when the runtime starts, before any region.
struct LoopAffinity {
  bool on = false;            // schedule(runtime) and schedule(auto)
  bool static_loops = false;  // and static loops that come by a call
};
extern constinit LoopAffinity loop_affinity;

// As the settings say; once.
void start_loop_affinity();

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

}  // namespace xylem::omp
