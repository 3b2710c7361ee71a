// Owns: leagues. See league.hpp.
#include "omp/team/league.hpp"

#include <algorithm>

#include "omp/team/binding.hpp"
#include "omp/team/query.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

namespace {

// As many as programs see on GCC's own runtime.
constexpr unsigned default_teams = 3;

Team& initial_team(Member& member) {
  Member* at = &member;
  while (at->team->level > 0) at = at->team->maker;
  return *at->team;
}

}  // namespace

int team_num() { return initial_team(current_member()).league_num; }
int num_teams() { return initial_team(current_member()).league_size; }

void limit_threads(Member& member, unsigned thread_limit) {
  if (thread_limit == 0) return;
  const bool none = thread_limit > static_cast<unsigned>(unlimited_threads);
  member.task->icvs.own().thread_limit_var =
      none ? unlimited_threads : static_cast<int>(thread_limit);
}

namespace {

// KMP_TEAMS_THREAD_LIMIT: there are no more teams than that, and each has its share of the threads.
void share_league_threads(Member& member, unsigned& teams) {
  const auto most = static_cast<unsigned>(globals().league_threads);
  if (most == 0) return;
  teams = std::min(teams, most);
  const auto limit = static_cast<unsigned>(member.task->icvs->thread_limit_var);
  limit_threads(member, std::min(limit, most / teams));
}

}  // namespace

void run_league(Member& member, void (*function)(void*), void* data, unsigned teams,
                unsigned thread_limit, Door door) {
  Task& task = *member.task;
  const int old_limit = task.icvs->thread_limit_var;
  if (thread_limit == 0) thread_limit = static_cast<unsigned>(teams_thread_limit_var());
  limit_threads(member, thread_limit);
  if (teams == 0) teams = static_cast<unsigned>(num_teams_var());
  if (teams == 0) teams = default_teams;
  share_league_threads(member, teams);
  Team& team = initial_team(member);
  team.league_size = static_cast<int>(teams);
  {
    LeagueBinding binding(member, door == Door::llvm ? team.league_size : 0);
    for (int num = 0; num < team.league_size; ++num) {
      team.league_num = num;
      binding.enter(num);
      function(data);
    }
  }
  team.league_num = 0;
  team.league_size = 1;
  task.icvs.own().thread_limit_var = old_limit;
}

bool next_team(Member& member, unsigned teams, unsigned thread_limit, bool first) {
  Team& team = initial_team(member);
  if (first) {
    limit_threads(member, thread_limit);
    team.league_num = 0;
    team.league_size = teams ? static_cast<int>(teams) : 1;
    return true;
  }
  if (team.league_num + 1 >= team.league_size) return false;
  ++team.league_num;
  return true;
}

}  // namespace xylem::omp
