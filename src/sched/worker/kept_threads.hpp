// Owns: kernel threads that are kept for the members of outermost teams, one for each: member i has
// the same one region after region, and with it its thread-local data and all that the program set
// for its thread. Where each fiber is a kernel thread (context/gate.hpp).
//
// Each is a solo worker of its own (solo.hpp): a launch wakes it with its member, and between its
// members it sleeps at its gate. Where gangs take turns, which must be able to stop their members,
// it is a context instead, to which workers' loops come when they find its member in a queue.
#pragma once

#include "sched/context/gate.hpp"
#include "sched/queue/run_queue.hpp"

namespace xylem::sched {

struct Worker;
class Pool;

// Workers come to kernel threads at gates from here on. Once, where each fiber is a kernel thread.
void switch_by_gates();

// Makes the kernel threads of members first to end - 1 where there are none yet. By the thread that
// opens the region: what a kernel thread inherits is then that one's, as elsewhere.
void make_kept_threads(Pool& pool, KeptMember* kept, int first, int end, bool solo);

// Runs member `index` of a solo team (Bubble::solo) on its kernel thread, as a worker of that PU.
void start_solo(Bubble& bubble, int index, int pu);
// The PU that the member's kernel thread was last given.
int pu_of_solo(const Bubble& bubble, int index);

// Where the work goes on: on the fiber's stack, on the kernel thread that is kept for the member,
// or in a loop. Of a bubble that is not solo.
Context context_of(Worker& worker, const Work& work);

// Lets the kernel thread of a kept stack end, which runs no member now. The stack goes with it.
void end_kept_thread(Stack* kept);

}  // namespace xylem::sched
