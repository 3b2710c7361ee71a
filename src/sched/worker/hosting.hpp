// Owns: what the kernel thread of a fiber does while that waits, where each fiber is a kernel
// thread (context/gate.hpp): it serves the worker on which the fiber ran, its host, as its loop.
//
// What only this thread can run, only the host may take: it would else be handed over by others
// while it is awake. Whoever makes such a thing ready wakes the host's slot. Where its PU is lent
// to another process the thread leaves the loop, too: what it alone could run would wait with it.
// When the thread leaves the loop for other work, the arriving side ends the claim, and polls
// whether something came meanwhile that others have left alone: they are told. Of the two, the one
// who queues (count, then host) and the one who ends the claim (host, then count), one sees the
// other.
#pragma once

#include "sched/context/context.hpp"

namespace xylem::sched {

struct Fiber;
struct Worker;

// True if a fiber that waits had better leave its kernel thread to the worker: it then runs the
// worker's loop until the fiber may go on, which costs no hand-over, or until there is other work.
bool may_host(const Worker& worker, const Fiber& fiber);
Worker* host_loop(Worker* worker, Fiber& fiber, AfterSwitch after, void* argument);

}  // namespace xylem::sched
