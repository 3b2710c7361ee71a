// Owns: xylem_iteration (include/xylem/xylem.h).
#include "base/export.hpp"
#include "omp/team/engines.hpp"
#include "xylem/xylem.h"

extern "C" {

XYLEM_EXPORT void xylem_iteration() { xylem::omp::tell_iteration(xylem::omp::current_member()); }

// What Fortran calls.
XYLEM_EXPORT void xylem_iteration_() { xylem_iteration(); }

}  // extern "C"
