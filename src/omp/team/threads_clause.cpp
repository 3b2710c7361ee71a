// Owns: what the clause does. See threads_clause.hpp.
#include "omp/team/threads_clause.hpp"

#include <algorithm>

#include "base/report.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

namespace {

// The nearest team with a list, from this one outwards. There is one.
const Team& team_with_list(const Team& team) {
  const Team* at = &team;
  while (!at->threads) at = at->maker->team;
  return *at;
}

}  // namespace

void check_strict(const Member& maker, const ThreadsClause* own, unsigned wanted, int threads) {
  const bool inherits = !own && wanted == 0;
  if (inherits) wanted = static_cast<unsigned>(maker.task->icvs->nthreads_var);
  const ThreadsClause& clause = own ? *own : *team_with_list(*maker.team).threads;
  if (!(own || inherits) || !clause.strict || static_cast<unsigned>(threads) >= wanted) return;
  if (clause.message)
    clause.fatal ? base::fatal("%s", clause.message) : base::warn("%s", clause.message);
  else if (clause.fatal)
    base::fatal("num_threads(strict: %u): there are %d threads", wanted, threads);
  else
    base::warn("num_threads(strict: %u): there are %d threads", wanted, threads);
}

void apply_threads_list(Team& team) {
  const Team& first = team_with_list(team);
  const std::vector<int>& list = first.threads->threads;
  const auto depth = static_cast<std::size_t>(team.level - first.level) + 1;
  team.child_icvs.nthreads_var = list[std::min(depth, list.size() - 1)];
  team.child_icvs.in_threads_list = true;
}

}  // namespace xylem::omp
