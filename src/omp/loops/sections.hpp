// Owns: the sections construct: a loop over the numbers of the sections, from 1, one at a time.
#pragma once

#include "omp/loops/loop.hpp"

namespace xylem::omp {

// The loop that `count` sections are; for the construct combined with a region.
LoopRequest sections_request(unsigned count);

// The member enters the construct.
void sections_start(Member& member, unsigned count, const Extras& extras);

// The section that the member is to run now; 0 when there are no more.
unsigned sections_next(Member& member);

}  // namespace xylem::omp
