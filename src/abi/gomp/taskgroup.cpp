// Owns: GCC's entry points of taskgroups. Decodes, calls omp/, returns.
#include "omp/tasks/taskgroup.hpp"

#include "base/export.hpp"
#include "omp/team/team.hpp"

extern "C" {

XYLEM_EXPORT void GOMP_taskgroup_start() {
  xylem::omp::taskgroup_start(xylem::omp::current_member());
}

XYLEM_EXPORT void GOMP_taskgroup_end() { xylem::omp::taskgroup_end(xylem::omp::current_member()); }

}  // extern "C"
