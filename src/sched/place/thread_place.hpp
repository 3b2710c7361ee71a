// Owns: where the calling thread runs, when something asks for a place: binding, or hints.
#pragma once

#include "sched/queue/entity.hpp"

namespace xylem::sched {

// Binds the calling thread, a member of a team, to the PU and goes on there.
void pin_to(Thread& self, int pu);

// A thread's binding before something moved it.
struct FormerPlace {
  bool kept = false;
  int pin_pu = -1;
};

// The calling thread goes to the PU. How it was bound is kept in `before`, if that is not null and
// keeps nothing yet. The kernel thread of an external thread serves a PU while the thread is
// elsewhere: it stays on that one's memory node until its region ends.
void go_to(Thread& self, int pu, FormerPlace* before);

// The thread is bound as it was.
void return_to(Thread& self, const FormerPlace& before);

}  // namespace xylem::sched
