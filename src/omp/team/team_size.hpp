// Owns: how many threads a region gets: by what is asked for, by OpenMP's limits, and by the stacks
// that the process's limits of memory leave.
#pragma once

#include "omp/team/team.hpp"

namespace xylem::omp {

// What a region takes until it ends.
struct TeamSize {
  int threads;
  sched::StacksAside stacks_set_aside;  // sched::Stacks
};

// For a region that `maker` opens; `wanted` is the num_threads clause, 0 if there is none.
TeamSize take_team_size(Member& maker, unsigned wanted);

// The region has ended.
void give_team_size_back(Member& maker, const Team& team);

}  // namespace xylem::omp
