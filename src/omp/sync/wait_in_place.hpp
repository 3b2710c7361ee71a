// Owns: how a member waits at a barrier or in a join before it sleeps.
#pragma once

#include "omp/team/team.hpp"
#include "os/clock.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

// Waits in place until ended(), or until a task is worth a look, while the member's worker has
// nothing better to do. False if the member is to sleep.
template <class Ended>
bool wait_in_place(const Member& member, Ended ended) {
  const TaskPool& tasks = member.team->tasks;
  sched::InPlace waiting(*member.thread);
  int alone = 0;
  for (int turn = 0; waiting.goes_on(turn); ++turn) {
    if (ended() || tasks.worth_a_look(turn, alone)) return true;
    os::relax();
  }
  return false;
}

}  // namespace xylem::omp
