// Owns: what is known of bubbles by looking now and then at what the workers run: threads that run,
// and processor time. Costs the fibers nothing but two stores at each switch.
//
// Processor time is that of kernel threads, and goes to what they run when the sampler looks: right
// on average, for whatever lasts for many looks.
#pragma once

#include "fiber/pool.hpp"

namespace xylem::exec {

// Called by the monitor, again and again while a region is open.
void sample(fiber::Pool& pool);

// How often that was; what was read before a sample and after is different only if this is.
uint32_t samples_taken();

}  // namespace xylem::exec
