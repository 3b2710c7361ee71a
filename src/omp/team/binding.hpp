// Owns: binding the threads of a team to places (OpenMP 5.1 section 2.6.2; DESIGN section 4,
// `places`).
#pragma once

#include <vector>

#include "omp/team/team.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

// Fills team.places when the program or the user asks for binding and there are places; `bind` is
// the clause, ProcBind::none if there is none. Binds an external thread's own kernel thread too: it
// was asked for.
void bind_team(Team& team, Member& maker, ProcBind bind);

// Binds the thread that runs main() to the first place, if the user asks for binding.
void bind_initial_thread(Member& initial);

// Whether threads are bound to places, and the first place that a PU belongs to, as processors by
// the kernel's numbers; empty: none.
bool binds_to_places();
std::vector<int> place_of_pu(int pu);

}  // namespace xylem::omp
