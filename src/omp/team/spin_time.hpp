// Owns: how long an idle worker looks for work before it sleeps, by what the user says of it.
#pragma once

#include <cstdint>

#include "omp/env/icv.hpp"

namespace xylem::omp {

// In nanoseconds. What comes first of XYLEM_SPIN (`own_turns`; -1: not given), GOMP_SPINCOUNT,
// KMP_BLOCKTIME and OMP_WAIT_POLICY counts. `processors_are_shared`: by workers (a quota, a drawn
// machine larger than the real one); there those who look take the time of those who work, and
// GOMP_SPINCOUNT counts as libgomp's manual says for more threads than processors.
int64_t spin_time_ns(const GlobalIcvs& global, int64_t own_turns, bool processors_are_shared);

}  // namespace xylem::omp
