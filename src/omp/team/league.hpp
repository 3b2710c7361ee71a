// Owns: the teams construct. A league's teams run one after the other, each with all processors.
//
// The number and size are kept in the initial (level 0) team that the construct is in.
#pragma once

#include "omp/env/door.hpp"

namespace xylem::omp {

struct Member;

// Host teams: runs function(data) for each team. Clauses: 0 when there is none. LLVM's programs
// find each team bound to places of its own, where threads are bound.
void run_league(Member& member, void (*function)(void*), void* data, unsigned teams,
                unsigned thread_limit, Door door = Door::gnu);

// Teams in a target region, where the compiled code has the loop: called with `first`, then until
// it returns false.
bool next_team(Member& member, unsigned teams, unsigned thread_limit, bool first);

// The thread_limit clause for the current task; 0 does nothing.
void limit_threads(Member& member, unsigned thread_limit);

}  // namespace xylem::omp
