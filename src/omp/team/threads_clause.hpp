// Owns: the num_threads clause of OpenMP 6.0, section 12.1.2: a list of numbers, for the region and
// for those inside it, and the strict modifier.
#pragma once

#include <vector>

namespace xylem::omp {

struct Member;
struct Team;

// Told by a call of its own before the region is opened; lives until the region has ended.
struct ThreadsClause {
  // For the region, for those that its threads open, and so on; the last one for all deeper ones.
  // Not empty, and all above 0.
  std::vector<int> threads;
  bool strict = false;
  bool fatal = false;             // strict, and fewer threads: the process ends; else a warning
  const char* message = nullptr;  // then: what is said; null: that there are fewer
};

// Before the region is opened; `wanted` is its clause's first number, 0 without one. Says what a
// strict clause, of the region itself or of one around it, wants said if there are fewer.
void check_strict(const Member& maker, const ThreadsClause* own, unsigned wanted, int threads);

// The team is made: what its threads' regions have, if it or a team around it has a list.
void apply_threads_list(Team& team);

}  // namespace xylem::omp
