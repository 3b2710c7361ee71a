// Owns: LLVM's entry points of tasks that somebody else completes: with a detach clause, and proxy
// tasks. omp_fulfill_event is in abi/gomp/task_event.cpp: an event is the same for both families.
#include "omp/tasks/task_event.hpp"

#include "abi/kmp/task_data.hpp"
#include "base/export.hpp"
#include "omp/tool/tasks.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::task_with;

namespace {

void complete(TaskData* task) {
  xylem::omp::Event& event = *task_with(task).event;
  if (xylem::omp::tool::on()) [[unlikely]]
    return xylem::omp::tool::fulfill(event);
  xylem::omp::fulfill(event);
}

}  // namespace

extern "C" {

XYLEM_EXPORT void* __kmpc_task_allow_completion_event(const Location*, ThreadNumber,
                                                      TaskData* task) {
  return &task_with(task).own_event();
}

XYLEM_EXPORT void __kmpc_proxy_task_completed(ThreadNumber, TaskData* task) { complete(task); }
// The same by a thread that is none of OpenMP's.
XYLEM_EXPORT void __kmpc_proxy_task_completed_ooo(TaskData* task) { complete(task); }

}  // extern "C"
