// libgomp's entry points of the single construct. The compiled code has the barriers behind it.
#include "omp/loops/single.hpp"

#include "base/export.hpp"
#include "omp/team/team.hpp"

using namespace xylem::omp;

extern "C" {

XYLEM_EXPORT bool GOMP_single_start() { return single_enter(current_member()); }
XYLEM_EXPORT void* GOMP_single_copy_start() { return single_copy_enter(current_member()); }
XYLEM_EXPORT void GOMP_single_copy_end(void* data) { single_copy_leave(current_member(), data); }

}  // extern "C"
