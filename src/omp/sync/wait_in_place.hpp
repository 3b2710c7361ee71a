// Owns: how a member waits at a barrier or in a join before it sleeps.
#pragma once

#include "base/relax.hpp"
#include "omp/tasks/task_watch.hpp"
#include "omp/team/team.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

// Waits in place until ended(), or until there is a task to take, while the member's worker has
// nothing better to do. False if the member is to sleep.
template <class Ended>
bool wait_in_place(Member& member, Ended ended) {
  sched::InPlace waiting(*member.thread);
  TaskWatch watch(member);
  for (int turn = 0; waiting.goes_on(turn); ++turn) {
    if (ended() || watch.sees_one()) return true;
    base::relax();
  }
  return false;
}

}  // namespace xylem::omp
