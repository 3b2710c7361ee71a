// Owns: leagues and target regions as a tool is told of them. See leagues.hpp.
// The teams of a league run one after the other in the task that met the construct: meanwhile the
// record of that task is the one of the team's initial task.
#include "omp/tool/leagues.hpp"

#include "omp/team/league.hpp"
#include "omp/team/query.hpp"
#include "omp/tool/synchronization.hpp"

namespace xylem::omp::tool {

namespace {

constexpr int league_flags = region_flags::league | region_flags::invoked_by_runtime;

void tell_initial_task(Endpoint endpoint, TaskRecord& task, unsigned teams) {
  Data* region = endpoint == Endpoint::begin ? &task.region->data : nullptr;
  raise<Event::implicit_task>(endpoint, region, &task.data, teams,
                              static_cast<unsigned>(task.number), task.flags);
}

RegionRecord& begin_league(Call call, TaskRecord& task, unsigned teams) {
  auto& league = *new RegionRecord;
  league.code = call.code;
  league.flags = league_flags;
  league.master.below = &task;
  league.master.region = &league;
  league.master.flags = task_flags::initial;
  enter_runtime(task, call);
  raise<Event::parallel_begin>(&task.data, &task.frame, &league.data, teams, league.flags,
                               call.code);
  return league;
}

void end_league(Call call, RegionRecord& league) {
  TaskRecord& task = *league.master.below;
  raise<Event::parallel_end>(&league.data, &task.data, league.flags, call.code);
  leave_runtime(task);
  delete &league;
}

void begin_team(Member& member, RegionRecord& league) {
  league.master.data = {};
  league.master.number = team_num();
  member.task->told = &league.master;
  tell_initial_task(Endpoint::begin, league.master, static_cast<unsigned>(num_teams()));
}

void end_team(Member& member, RegionRecord& league) {
  tell_initial_task(Endpoint::end, league.master, 0);
  member.task->told = league.master.below;
}

struct League {
  RegionRecord& region;
  void (*function)(void*);
  void* data;
};

void run_team(void* raw) {
  const auto& league = *static_cast<League*>(raw);
  Member& member = current_member();
  begin_team(member, league.region);
  call_task(league.region.master, league.function, league.data);
  end_team(member, league.region);
}

}  // namespace

void run_league(Call call, Member& member, void (*function)(void*), void* data, unsigned teams,
                unsigned thread_limit, Door door) {
  League league{begin_league(call, record_of(member), teams), function, data};
  omp::run_league(member, run_team, &league, teams, thread_limit, door);
  end_league(call, league.region);
}

bool next_team(Call call, Member& member, unsigned teams, unsigned thread_limit, bool first) {
  TaskRecord& task = record_of(member);
  if (!first) end_team(member, *task.region);
  const bool goes_on = omp::next_team(member, teams, thread_limit, first);
  RegionRecord& league = first ? begin_league(call, task, teams) : *task.region;
  if (goes_on)
    begin_team(member, league);
  else
    end_league(call, league);
  return goes_on;
}

void begin_target_task(Member& initial, const Member& encountering) {
  auto* region = new RegionRecord;
  TaskRecord& task = region->master;
  task.flags = task_flags::initial;
  task.region = region;
  task.below = &record_of(encountering);
  initial.implicit.told = &task;
  tell_initial_task(Endpoint::begin, task, 1);
}

void end_target_task(Member& initial) {
  TaskRecord& task = record_of(initial.implicit);
  tell_initial_task(Endpoint::end, task, 0);
  delete task.region;
}

}  // namespace xylem::omp::tool
