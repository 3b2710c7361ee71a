// Owns: target regions on the host. See target.hpp.
#include "omp/target/target.hpp"

#include "base/report.hpp"
#include "omp/team/league.hpp"
#include "omp/team/team.hpp"
#include "omp/tool/leagues.hpp"

namespace xylem::omp {

namespace {

void start_initial_team(Team& team, Member& encountering) {
  team.child_icvs = initial_icvs();
  team.child_icvs.place_first = encountering.task->icvs->place_first;
  team.child_icvs.place_count = encountering.task->icvs->place_count;
  team.works.open(1, encountering.thread->pu);
  Member& member = team.master;
  member.team = &team;
  member.outer = &encountering;
  member.thread = encountering.thread;
  member.place = encountering.place;
  member.implicit.icvs.inherit(team.child_icvs);
  member.task = &member.implicit;
  team.first_step = &team.works.anchor();
  member.work.start(*team.first_step);
}

}  // namespace

void check_device(Member& member, TargetDevice device) {
  if (device.by == DeviceBy::icv) device.number = member.task->icvs->default_device_var;
  // With no devices the host is number 0.
  const bool host = device.by == DeviceBy::initial || device.number == 0;
  if (!host && target_offload_var() == TargetOffload::mandatory) {
    base::fatal("OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found");
  }
}

void run_target(Member& member, void (*function)(void*), void* arguments, unsigned thread_limit) {
  auto* team = new Team;
  start_initial_team(*team, member);
  limit_threads(team->master, thread_limit);
  member.thread->user = &team->master;
  if (tool::on()) tool::begin_target_task(team->master, member);
  function(arguments);
  run_all_tasks(team->master);
  if (tool::on()) tool::end_target_task(team->master);
  member.thread->user = &member;
  team->tasks.close();
  team->works.close();
  delete team;
}

}  // namespace xylem::omp
