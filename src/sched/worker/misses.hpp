// Owns: cache misses of what workers run, as the processor counts them for their kernel threads
// (paper 002, section 2.3.1: statistics). The sampler adds them up as it does processor time.
//
// A counter is opened for a kernel thread when it is first seen to run something of a bubble. To
// read it is a system call, and interrupts the processor on which the thread runs: nobody does
// unless misses are asked for.
#pragma once

#include "os/event_counter.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {

// From here on such events are counted. Once, before the first region.
void count_misses(const os::CountedEvent& event);
bool counts_misses();

// Misses of the worker's kernel thread since it was asked last; 0 the first time, and after
// skip_misses(). By the sampler.
int64_t misses_since(Worker& worker);
// What the thread misses from here on is nobody's.
inline void skip_misses(Worker& worker) { worker.misses.seen = MissCounter::nothing_seen; }

}  // namespace xylem::sched
