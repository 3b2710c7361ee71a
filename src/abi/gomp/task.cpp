// Owns: GCC's entry points of tasks. Decodes, calls omp/, returns.
#include "abi/gomp/depend_decode.hpp"
#include "abi/gomp/task_flags.hpp"
#include "base/export.hpp"
#include "omp/tasks/task_create.hpp"
#include "omp/tasks/task_wait.hpp"
#include "omp/team/team.hpp"

namespace flags = xylem::abi::task_flags;
using xylem::abi::DependClauses;
using xylem::omp::current_member;
using xylem::omp::TaskRequest;

namespace {

// Apart: a task without a depend clause has no room for one in its creator's frame.
[[gnu::noinline]] void create_with_dependences(TaskRequest& request, void** depend) {
  const DependClauses clauses(depend);
  request.dependences = clauses.list();
  xylem::omp::create_task(current_member(), request);
}

}  // namespace

extern "C" {

// Older compilers pass fewer arguments: each of the last three counts only when its flag is set.
XYLEM_EXPORT void GOMP_task(void (*fn)(void*), void* data, void (*cpyfn)(void*, void*),
                            long arg_size, long arg_align, bool if_clause, unsigned task_flags,
                            void** depend, int priority, void* detach) {
  TaskRequest request{fn, data, cpyfn, static_cast<size_t>(arg_size),
                      static_cast<size_t>(arg_align)};
  request.undeferred = !if_clause;
  request.final = task_flags & flags::final;
  if (task_flags & flags::priority) request.priority = flags::allowed_priority(priority);
  if (task_flags & flags::detach) request.event = static_cast<void**>(detach);
  if (task_flags & flags::depend) return create_with_dependences(request, depend);
  xylem::omp::create_task(current_member(), request);
}

XYLEM_EXPORT void GOMP_taskwait() { xylem::omp::taskwait(current_member()); }

XYLEM_EXPORT void GOMP_taskwait_depend(void** depend) {
  xylem::omp::wait_for_dependences(current_member(), DependClauses(depend).list());
}

XYLEM_EXPORT void GOMP_taskyield() { xylem::omp::taskyield(); }

}  // extern "C"
