// Owns: kernel threads that are kept for the members of a team, and what they do between their
// members: each is a context (context/gate.hpp), and serves the worker whose loop it has taken
// over.
#pragma once

#include "sched/context/gate.hpp"
#include "sched/queue/run_queue.hpp"

namespace xylem::sched {

struct Fiber;
struct Worker;
class Pool;

// Workers come to kernel threads at gates from here on. Once, where each fiber is a kernel thread.
void switch_by_gates();

// True if a fiber that waits had better leave its kernel thread to the worker: it then runs the
// worker's loop until the fiber may go on, which costs no hand-over, or until there is other work.
bool may_host(const Worker& worker, const Fiber& fiber);
Worker* host_loop(Worker* worker, Fiber& fiber, AfterSwitch after, void* argument);

// The PU whose worker's loop that kernel thread runs; -1 if there is none.
int pu_of_kept_thread(const Bubble& bubble, int index);

// Makes the kernel threads of members first to end - 1 where there are none yet. By the thread that
// opens the region: what a kernel thread inherits is then that one's, as elsewhere.
void make_kept_threads(Pool& pool, void** kept, int first, int end);

// Runs a member of a top-level team on the kernel thread that is kept for it, so that it finds its
// thread-local data again region after region. Called by a loop on `stack`.
Worker* run_on_kept_thread(Worker* worker, const Work& work, Stack* stack);

// Lets the kernel thread of a kept stack end, which runs no member now. The stack goes with it.
void end_kept_thread(Stack* kept);

}  // namespace xylem::sched
