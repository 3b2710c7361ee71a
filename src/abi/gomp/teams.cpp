// Owns: GCC's entry points of the teams construct. Decodes, calls omp/, returns.
#include "base/export.hpp"
#include "omp/team/league.hpp"
#include "omp/tool/leagues.hpp"

using xylem::omp::current_member;
namespace tool = xylem::omp::tool;

extern "C" {

// Of GCC before 12: the region that follows runs once.
XYLEM_EXPORT void GOMP_teams(unsigned, unsigned thread_limit) {
  xylem::omp::limit_threads(current_member(), thread_limit);
}

XYLEM_EXPORT bool GOMP_teams4(unsigned num_teams_low, unsigned, unsigned thread_limit, bool first) {
  if (tool::on()) [[unlikely]]
    return tool::next_team(tool::here(), current_member(), num_teams_low, thread_limit, first);
  return xylem::omp::next_team(current_member(), num_teams_low, thread_limit, first);
}

XYLEM_EXPORT void GOMP_teams_reg(void (*fn)(void*), void* data, unsigned num_teams,
                                 unsigned thread_limit, unsigned) {
  if (tool::on()) [[unlikely]]
    return tool::run_league(tool::here(), current_member(), fn, data, num_teams, thread_limit);
  xylem::omp::run_league(current_member(), fn, data, num_teams, thread_limit);
}

}  // extern "C"
