// libgomp's entry points of the ordered construct.
#include "omp/loops/ordered.hpp"

#include "base/export.hpp"
#include "omp/team/team.hpp"

extern "C" {

XYLEM_EXPORT void GOMP_ordered_start() { xylem::omp::ordered_enter(xylem::omp::current_member()); }

// The turn goes on with the whole chunk, when the member asks for its next one.
XYLEM_EXPORT void GOMP_ordered_end() {}

}  // extern "C"
