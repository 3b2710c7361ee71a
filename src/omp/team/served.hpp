// Owns: telling the user which modules of the process Xylem serves, which another runtime does, and
// which has made OpenMP threads kernel threads.
#pragma once

namespace xylem::omp {

// Says, where XYLEM_VERBOSE asks for it, each module once, and for which one OpenMP threads are
// kernel threads; and always, once in a process, that two runtimes are in it. A module counts once
// it has called OpenMP: true if there are some that may do so later. Called at the end of an
// outermost region (sched::Upper::tell_of_users).
bool tell_served();

}  // namespace xylem::omp
