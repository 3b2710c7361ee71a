// Owns: omp_fulfill_event. Its handles are made by GOMP_task, so it lives beside it.
#include "omp/tasks/task_event.hpp"

#include "base/export.hpp"
#include "omp/tool/tasks.hpp"

extern "C" {

XYLEM_EXPORT void omp_fulfill_event(uintptr_t event) {
  if (event == 0) return;  // of a task that was cancelled before it was made
  if (xylem::omp::tool::on()) [[unlikely]]
    return xylem::omp::tool::fulfill(*reinterpret_cast<xylem::omp::Event*>(event));
  xylem::omp::fulfill(*reinterpret_cast<xylem::omp::Event*>(event));
}
XYLEM_EXPORT void omp_fulfill_event_(intptr_t event) {  // by value in Fortran's interface too
  omp_fulfill_event(static_cast<uintptr_t>(event));
}

}  // extern "C"
