// Owns: GCC's entry points of task reductions. Decodes, calls omp/, returns.
#include "omp/tasks/task_reduction.hpp"

#include "base/export.hpp"
#include "omp/team/team.hpp"

using xylem::omp::current_member;

extern "C" {

XYLEM_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t* data) {
  xylem::omp::taskgroup_reduction_register(current_member(), data);
}

XYLEM_EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t* data) {
  xylem::omp::taskgroup_reduction_unregister(data);
}

XYLEM_EXPORT void GOMP_task_reduction_remap(size_t cnt, size_t cntorig, void** ptrs) {
  xylem::omp::task_reduction_remap(current_member(), cnt, cntorig, ptrs);
}

XYLEM_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  xylem::omp::workshare_task_reduction_unregister(current_member(), cancelled);
}

}  // extern "C"
