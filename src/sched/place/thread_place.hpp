// Owns: where the calling thread runs, when something asks for a place: binding, or hints.
#pragma once

#include "os/thread.hpp"
#include "sched/queue/entity.hpp"

namespace xylem::sched {

// Binds the calling thread, a member of a team, to the PU and goes on there.
void pin_to(Thread& self, int pu);

// A thread's place before something moved it: its fiber's binding and, of an external thread, its
// kernel thread's affinity.
struct FormerPlace {
  bool kept = false;
  int pin_pu = -1;
  os::AffinityMask affinity;
};

// The calling thread goes to the PU. Where it was is kept in `before`, if that is not null and
// keeps nothing yet. The kernel thread of an external thread serves a PU while the thread is
// elsewhere: it is bound to that one.
void go_to(Thread& self, int pu, FormerPlace* before);

// The thread, at home again, is bound as it was.
void return_to(Thread& self, const FormerPlace& before);

}  // namespace xylem::sched
