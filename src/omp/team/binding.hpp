// Owns: binding the threads of a team to places (OpenMP 5.1 section 2.6.2; DESIGN section 4,
// `places`).
#pragma once

#include <vector>

#include "omp/team/team.hpp"
#include "plan/place_assignment.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

// Fills team.places when the program or the user asks for binding and there are places; `bind` is
// the clause, ProcBind::none if there is none. Binds an external thread's own kernel thread too: it
// was asked for.
void bind_team(Team& team, Member& maker, ProcBind bind);

// The team's region has ended. KMP_AFFINITY=reset: after an outermost one the maker's own kernel
// thread may run on all processors of the process again.
void end_binding(const Team& team, Member& maker);

// Binds the thread that runs main() to the first place, if the user asks for binding. In a process
// of LLVM's programs when it is first asked where it is, or opens a region.
void bind_initial_thread(Member& initial);

// Binds the initial thread to the places of one team of a league after the other, as LLVM's
// programs expect it; back to where it was at the end. Does nothing where threads are not bound.
class LeagueBinding {
 public:
  LeagueBinding(Member& initial, int teams);
  ~LeagueBinding();
  LeagueBinding(const LeagueBinding&) = delete;
  LeagueBinding& operator=(const LeagueBinding&) = delete;
  void enter(int team);

 private:
  void move_to(const plan::PlaceAssignment& where);

  Member& initial_;
  plan::PlaceAssignment before_;
  std::vector<plan::PlaceAssignment> of_teams_;  // empty: they are not bound
};

// Whether threads are bound to places, and the smallest place that a PU belongs to, as processors
// by the kernel's numbers; empty: none.
bool binds_to_places();
std::vector<int> place_of_pu(int pu);

}  // namespace xylem::omp
