// Owns: on which memory node the data of a task is. Members there take it sooner (TaskQueue).
#pragma once

#include <cstddef>
#include <span>

#include "omp/tasks/depend.hpp"

namespace xylem::omp {

// One list item of an affinity clause.
struct AffinityItem {
  const void* address;
  size_t bytes;
};

// More say no more.
inline constexpr size_t affinity_items_that_count = 16;

struct Team;

// Where the first page is of what a task of the team writes first, else of what it reads first. -1:
// not known. Where the team's data is looked for (team/found_data.hpp) it is noted.
int home_of(Team& team, DependList dependences);
// Where most bytes of so many items at most are, each taken to be where its first page is. -1: not
// known.
int home_of(std::span<const AffinityItem> items);

}  // namespace xylem::omp
