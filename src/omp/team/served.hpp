// Owns: telling the user which modules of the process Xylem serves, and which another runtime does.
#pragma once

namespace xylem::omp {

// Says each module once, where XYLEM_VERBOSE asks for it; and, once in a process, that two runtimes
// are in it. A module counts once it has called OpenMP: true if there are some that may do so
// later. Called at the end of an outermost region (sched::Upper::tell_of_users).
bool tell_served();

}  // namespace xylem::omp
