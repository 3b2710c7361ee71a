// Owns: what is known of bubbles by looking now and then at what the workers run: threads that run,
// processor time, and misses where they are counted (misses.hpp). Costs the fibers nothing but two
// stores at each switch.
//
// Processor time, as misses, is that of kernel threads, and goes to what they run when the sampler
// looks: right on average, for whatever lasts for many polls.
#pragma once

#include "sched/worker/pool.hpp"

namespace xylem::sched {

// Whose clocks are read. Those of workers that run nothing only where shares of time depend on
// it: what such a worker took just before it found something is else counted for nobody.
enum class Clocks { of_nobody, of_those_who_run, of_all };

// Called by the monitor, again and again while a region is open; counted by Pool::samples(). True
// if somebody works for a bubble.
bool sample(sched::Pool& pool, Clocks clocks);

}  // namespace xylem::sched
