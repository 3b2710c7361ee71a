// Owns: what a forked child does to conditions.
#pragma once

namespace xylem::wait {

// A forked child has none of the fibers that wait.
void forget_conditions();

}  // namespace xylem::wait
