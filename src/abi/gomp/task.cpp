// Owns: GCC's entry points of tasks. Decodes, calls omp/, returns.
#include "abi/gomp/depend_decode.hpp"
#include "abi/gomp/task_decode.hpp"
#include "base/export.hpp"
#include "omp/tasks/task_event.hpp"
#include "omp/tasks/task_wait.hpp"
#include "omp/team/team.hpp"

namespace flags = xylem::abi::task_flags;
using xylem::abi::DependClauses;
using xylem::omp::current_member;
using xylem::omp::TaskRequest;

namespace {

// With a detach clause. The compiled code finds the event's handle in its own variable and first
// among the arguments.
[[gnu::noinline]] void create_detachable(TaskRequest& request, void** handle) {
  request.event = new xylem::omp::Event;
  *handle = request.event;
  if (request.data) *static_cast<void**>(request.data) = request.event;
  if (xylem::omp::create_task(current_member(), request)) return;
  delete request.event;
  *handle = nullptr;  // without effect
}

// `handle` is null without a detach clause.
void create(TaskRequest& request, void** handle) {
  if (handle) [[unlikely]]
    return create_detachable(request, handle);
  xylem::omp::create_task(current_member(), request);
}

// Apart: a task without a depend clause has no room for one in its creator's frame.
[[gnu::noinline]] void create_with_dependences(TaskRequest& request, void** depend, void** handle) {
  const DependClauses clauses(depend);
  request.dependences = clauses.list();
  create(request, handle);
}

}  // namespace

extern "C" {

// Older compilers pass fewer arguments: `depend` and `detach` count only when their flags are set.
XYLEM_EXPORT void GOMP_task(void (*fn)(void*), void* data, void (*cpyfn)(void*, void*),
                            long arg_size, long arg_align, bool if_clause, unsigned task_flags,
                            void** depend, int priority, void* detach) {
  auto request = xylem::abi::task_request(fn, data, cpyfn, arg_size, arg_align, if_clause,
                                          task_flags, priority);
  auto** handle = task_flags & flags::detach ? static_cast<void**>(detach) : nullptr;
  if (task_flags & flags::depend) return create_with_dependences(request, depend, handle);
  create(request, handle);
}

XYLEM_EXPORT void GOMP_taskwait() { xylem::omp::taskwait(current_member()); }

XYLEM_EXPORT void GOMP_taskwait_depend(void** depend) {
  xylem::omp::wait_for_dependences(current_member(), DependClauses(depend).list());
}

XYLEM_EXPORT void GOMP_taskyield() { xylem::omp::taskyield(); }

}  // extern "C"
