// Owns: LLVM's entry points of tasks. Decodes, calls omp/, returns. Most of these return a word
// that compiled code does not look at: 0.
#include "abi/kmp/depend_decode.hpp"
#include "abi/kmp/task_data.hpp"
#include "base/export.hpp"
#include "omp/tasks/task_create.hpp"
#include "omp/tasks/task_home.hpp"
#include "omp/tasks/task_wait.hpp"
#include "omp/tool/submitted_tasks.hpp"
#include "omp/tool/synchronization.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
using xylem::omp::DependList;
using xylem::omp::Member;
using xylem::omp::SubmittedTask;
using xylem::omp::task_with;
namespace tool = xylem::omp::tool;

namespace {

// An untied task submits itself once more.
void submit(TaskData* data, DependList dependences) {
  Member& member = current_member();
  SubmittedTask& task = task_with(data);
  if (&task == member.task) return xylem::omp::submit_next_part(member, task);
  take_priority(task);
  xylem::omp::submit_task(member, task, dependences);
}

[[gnu::cold, gnu::noinline]] void submit_told(tool::Call call, TaskData* data,
                                              DependList dependences, DependList told) {
  Member& member = current_member();
  SubmittedTask& task = task_with(data);
  if (&task == member.task) return tool::submit_next_part(member, task);
  take_priority(task);
  tool::submit_task(call, member, task, dependences, told);
}

// Inlined in entry points, as what calls it: a tool is told where they were called.
[[gnu::always_inline]] inline void wait_for(const DependClauses& clauses) {
  if (clauses.list().empty()) return;
  if (tool::on()) [[unlikely]]
    return tool::wait_for_dependences(tool::here(), clauses.list());
  xylem::omp::wait_for_dependences(current_member(), clauses.list());
}

// A task that does nothing: taskwait with depend and nowait.
[[gnu::always_inline]] inline void create_empty_task(const DependClauses& clauses) {
  xylem::omp::TaskRequest request{
      .function = [](void*) {}, .data = nullptr, .copy = nullptr, .size = 0, .alignment = 1};
  request.dependences = clauses.list();
  if (tool::on()) [[unlikely]] {
    tool::create_task(tool::here(), current_member(), request, tool::task_flags::taskwait);
    return;
  }
  xylem::omp::create_task(current_member(), request);
}

}  // namespace

extern "C" {

XYLEM_EXPORT TaskData* __kmpc_omp_task_alloc(const Location*, ThreadNumber, int32_t flags,
                                             size_t bytes, size_t shared_bytes,
                                             TaskRoutine routine) {
  return &new_task_data({flags, bytes, shared_bytes, routine});
}

// Targets are the host.
XYLEM_EXPORT TaskData* __kmpc_omp_target_task_alloc(const Location*, ThreadNumber, int32_t flags,
                                                    size_t bytes, size_t shared_bytes,
                                                    TaskRoutine routine, int64_t) {
  return &new_task_data({flags, bytes, shared_bytes, routine});
}

XYLEM_EXPORT int32_t __kmpc_omp_task(const Location*, ThreadNumber, TaskData* task) {
  if (tool::on()) [[unlikely]]
    submit_told(tool::here(), task, {}, {});
  else
    submit(task, {});
  return 0;
}
XYLEM_EXPORT int32_t __kmpc_omp_task_parts(const Location*, ThreadNumber, TaskData* task) {
  if (tool::on()) [[unlikely]]
    submit_told(tool::here(), task, {}, {});
  else
    submit(task, {});
  return 0;
}

XYLEM_EXPORT int32_t __kmpc_omp_task_with_deps(const Location*, ThreadNumber, TaskData* task,
                                               int32_t count, const DependInfo* items,
                                               int32_t more_count, const DependInfo* more_items) {
  const DependClauses clauses({count, items}, {more_count, more_items});
  if (tool::on()) [[unlikely]]
    submit_told(tool::here(), task, clauses.list(), clauses.told());
  else
    submit(task, clauses.list());
  return 0;
}

// An undeferred task, which the caller runs between the two.
XYLEM_EXPORT void __kmpc_omp_task_begin_if0(const Location*, ThreadNumber, TaskData* task) {
  if (tool::on()) [[unlikely]]
    return tool::begin_undeferred(tool::here(), tool::callers_frame_pointer(), current_member(),
                                  task_with(task));
  xylem::omp::begin_undeferred(current_member(), task_with(task));
}
XYLEM_EXPORT void __kmpc_omp_task_complete_if0(const Location*, ThreadNumber, TaskData* task) {
  if (tool::on()) [[unlikely]]
    return tool::end_undeferred(current_member(), task_with(task));
  xylem::omp::end_undeferred(current_member(), task_with(task));
}

XYLEM_EXPORT void __kmpc_omp_wait_deps(const Location*, ThreadNumber, int32_t count,
                                       const DependInfo* items, int32_t more_count,
                                       const DependInfo* more_items) {
  wait_for(DependClauses({count, items}, {more_count, more_items}));
}

XYLEM_EXPORT void __kmpc_omp_taskwait_deps_51(const Location*, ThreadNumber, int32_t count,
                                              const DependInfo* items, int32_t more_count,
                                              const DependInfo* more_items, int32_t nowait) {
  const DependClauses clauses({count, items}, {more_count, more_items});
  if (nowait) return create_empty_task(clauses);
  wait_for(clauses);
}

XYLEM_EXPORT int32_t __kmpc_omp_taskwait(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]]
    tool::taskwait(tool::here());
  else
    xylem::omp::taskwait(current_member());
  return 0;
}

XYLEM_EXPORT int32_t __kmpc_omp_taskyield(const Location*, ThreadNumber, int32_t) {
  if (tool::on()) [[unlikely]]
    tool::taskyield();
  else
    xylem::omp::taskyield();
  return 0;
}

}  // extern "C"
