// Owns: bringing the runtime up: settings, machine, policy, pool, in this order, once; and the
// roots of the program's threads. A forked child keeps all but the pool, which it makes anew.
#pragma once

#include "omp/team/team.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::omp {

// Makes fork() safe from here on. Called once, when the library is loaded: a child that is made
// while another thread starts the runtime would find the lock of the start held for ever.
void stand_fork();

// Offers the runtime to the interposing library, unless the user does not want that.
void offer_waits();

// Settings, machine and policy; idempotent, any thread.
void start_runtime();

// The pool, made if need be.
sched::Pool& the_pool();
// The same for an outermost region that opens, which `xylem top` counts.
sched::Pool& live_pool();

// The machine in force. Valid after start_runtime().
const topo::Machine& machine();

// The guest's root, with its initial task.
Root& make_root(sched::Fiber& fiber);

}  // namespace xylem::omp
