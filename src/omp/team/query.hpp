// What the omp_* routines ask about the calling thread: the seam between the routines (abi/omp) and
// teams and tasks (query.cpp; the teams construct: league.cpp).
//
// Every function here may be the first call a program makes into the runtime, from any thread, also
// one that the runtime has not seen: each one initialises the runtime, and adopts the thread as an
// external thread with initial_icvs(), when that has not happened. They never block otherwise, and
// a result that is a reference lives until the calling task ends.
#pragma once

#include <vector>

#include "omp/env/icv.hpp"

namespace xylem::omp {

// Initialises the runtime if need be. After it globals() is valid. Cheap when already done.
void ensure_runtime();

// ICVs of the task that calls. (A task has its own once it writes one, until then its parent's.)
const Icvs& current_icvs();
Icvs& own_icvs();  // to write them

// An address that names the calling task among all tasks alive; owner of nested locks.
const void* current_task_identity();

// The calling thread in its innermost team. Outside any parallel region: 0 of 1, level 0.
int thread_num();
int num_threads();
int level();         // nested parallel regions, active or not
int active_level();  // those with more than one thread

// The same for the ancestor (or self) at a nesting level; -1 when `at_level` < 0 or > level().
int ancestor_thread_num(int at_level);
int team_size(int at_level);

// The threads of all teams around the caller, itself among them.
int threads_around();

bool in_final();          // in a final or included task
bool in_explicit_task();  // in a task that is not implicit, deferred or not

// The teams construct: 0 of 1 outside of one.
int team_num();
int num_teams();

// The place that the calling thread is bound to; -1: not bound.
int place_num();

// OS indices of the PUs on which the calling thread may run, ascending. Those of its place when it
// is bound to one, else all of the machine's.
void affinity_of_thread(std::vector<int>& os_indices);

// OS indices of all PUs of the machine, which the process may use, ascending.
void os_indices_of_machine(std::vector<int>& os_indices);

// OS indices of the PUs of a place of globals().places, ascending.
void os_indices_of_place(int place, std::vector<int>& os_indices);

// Ends the thread-local data of the threads that the caller's regions had (threadprivate copies get
// their initial values again). Workers sleep when idle and stacks are reused: nothing else is held.
// False when called inside a parallel region; then nothing happens.
bool release_resources();

}  // namespace xylem::omp
