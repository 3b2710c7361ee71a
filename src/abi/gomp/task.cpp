// Owns: GCC's entry points of tasks. Decodes, calls omp/, returns.
#include "abi/gomp/depend_decode.hpp"
#include "abi/gomp/task_decode.hpp"
#include "base/export.hpp"
#include "omp/tasks/task_event.hpp"
#include "omp/tasks/task_wait.hpp"
#include "omp/tool/synchronization.hpp"
#include "omp/tool/tasks.hpp"

namespace tool = xylem::omp::tool;
namespace flags = xylem::abi::task_flags;
using xylem::abi::DependClauses;
using xylem::omp::current_member;
using xylem::omp::TaskRequest;

namespace {

// Who makes the task of a request; Told: where a tool is told of it.
struct Plainly {
  bool operator()(const TaskRequest& request) const {
    return xylem::omp::create_task(current_member(), request);
  }
};
struct Told {
  tool::Call call;
  int flags;
  bool operator()(const TaskRequest& request) const {
    return tool::create_task(call, current_member(), request, flags);
  }
};

// With a detach clause. The compiled code finds the event's handle in its own variable and first
// among the arguments.
template <class Make>
[[gnu::noinline]] void create_detachable(const Make& make, TaskRequest& request, void** handle) {
  request.event = new xylem::omp::Event;
  *handle = request.event;
  if (request.data) *static_cast<void**>(request.data) = request.event;
  if (make(request)) return;
  delete request.event;
  *handle = nullptr;  // without effect
}

// `handle` is null without a detach clause.
template <class Make>
void create(const Make& make, TaskRequest& request, void** handle) {
  if (handle) [[unlikely]]
    return create_detachable(make, request, handle);
  make(request);
}

// Apart: a task without a depend clause has no room for one in its creator's frame.
template <class Make>
[[gnu::noinline]] void create_with_dependences(const Make& make, TaskRequest& request,
                                               void** depend, void** handle) {
  const DependClauses clauses(depend);
  request.dependences = clauses.list();
  create(make, request, handle);
}

template <class Make>
void create(const Make& make, TaskRequest& request, unsigned task_flags, void** depend,
            void* detach) {
  auto** handle = task_flags & flags::detach ? static_cast<void**>(detach) : nullptr;
  if (task_flags & flags::depend) return create_with_dependences(make, request, depend, handle);
  create(make, request, handle);
}

[[gnu::cold, gnu::noinline]] void create_told(tool::Call call, TaskRequest& request,
                                              unsigned task_flags, void** depend, void* detach) {
  create(Told{call, xylem::abi::told_flags(task_flags)}, request, task_flags, depend, detach);
}

}  // namespace

extern "C" {

// Older compilers pass fewer arguments: `depend` and `detach` count only when their flags are set.
XYLEM_EXPORT void GOMP_task(void (*fn)(void*), void* data, void (*cpyfn)(void*, void*),
                            long arg_size, long arg_align, bool if_clause, unsigned task_flags,
                            void** depend, int priority, void* detach) {
  auto request = xylem::abi::task_request(fn, data, cpyfn, arg_size, arg_align, if_clause,
                                          task_flags, priority);
  if (tool::on()) [[unlikely]]
    return create_told(tool::here(), request, task_flags, depend, detach);
  create(Plainly{}, request, task_flags, depend, detach);
}

XYLEM_EXPORT void GOMP_taskwait() {
  if (tool::on()) [[unlikely]]
    return tool::taskwait(tool::here());
  xylem::omp::taskwait(current_member());
}

XYLEM_EXPORT void GOMP_taskwait_depend(void** depend) {
  if (tool::on()) [[unlikely]]
    return tool::wait_for_dependences(tool::here(), DependClauses(depend).list());
  xylem::omp::wait_for_dependences(current_member(), DependClauses(depend).list());
}

XYLEM_EXPORT void GOMP_taskyield() {
  if (tool::on()) [[unlikely]]
    return tool::taskyield();
  xylem::omp::taskyield();
}

}  // extern "C"
