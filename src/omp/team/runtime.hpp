// Owns: bringing the runtime up: settings, machine, policy, scheduler, in this order, once; and the
// initial threads of contention groups.
#pragma once

#include "omp/team/team.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

// Makes fork() safe from here on. Called once, when the library is loaded: a child that is made
// while another thread starts the runtime would find the lock of the start held for ever. In
// fork.cpp.
void stand_fork();

// The lock under which machine, engine and pool are made; for stand_fork().
inline constexpr base::LockRank start_rank{10, "start_lock"};
void lock_start();
void unlock_start(bool in_child);

// Offers the runtime to the interposing library, unless the user does not want that.
void offer_waits();

// Settings, machine and policy; idempotent, any thread.
void start_runtime();

// The machine in force. Valid after start_runtime().
const topo::Machine& machine();

// How long an idle worker looks for work before it sleeps, by these settings of the process. Valid
// after start_runtime().
int64_t idle_spin_ns(const GlobalIcvs& global);
// The same where other processes use the same processors.
int64_t crowded_spin_ns(const GlobalIcvs& global);

// The record of an external thread, with its initial task.
InitialThread& make_initial_thread(sched::Thread& thread);

}  // namespace xylem::omp
