// Owns: GCC's entry points of taskgroups. Decodes, calls omp/, returns.
#include "omp/tasks/taskgroup.hpp"

#include "base/export.hpp"
#include "omp/tool/synchronization.hpp"

namespace tool = xylem::omp::tool;

extern "C" {

XYLEM_EXPORT void GOMP_taskgroup_start() {
  if (tool::on()) [[unlikely]] {
    tool::taskgroup_start(tool::here());
    return;
  }
  xylem::omp::taskgroup_start(xylem::omp::current_member());
}

XYLEM_EXPORT void GOMP_taskgroup_end() {
  if (tool::on()) [[unlikely]]
    return tool::taskgroup_end(tool::here());
  xylem::omp::taskgroup_end(xylem::omp::current_member());
}

}  // extern "C"
