// Owns: LLVM's entry points that ask about tasks. Decodes, asks omp/, returns.
#include "abi/kmp/task_data.hpp"
#include "base/export.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
using xylem::omp::Member;
using xylem::omp::Task;
using xylem::omp::TaskKind;

namespace {

// Differs between tasks that exist at the same time.
uint64_t number_of_task(const Task* task) { return reinterpret_cast<uintptr_t>(task); }

}  // namespace

extern "C" {

XYLEM_EXPORT uint64_t __kmpc_get_taskid() { return number_of_task(current_member().task); }

// 0: of the initial task, and of tasks that GCC's compiled code deferred.
XYLEM_EXPORT uint64_t __kmpc_get_parent_taskid() {
  const Member& member = current_member();
  if (member.task->kind != TaskKind::implicit) return number_of_task(member.task->creator);
  return member.outer ? number_of_task(member.outer->task) : 0;
}

XYLEM_EXPORT int32_t __kmpc_omp_has_task_team(ThreadNumber) {
  return current_member().team->tasks.made_queues() != nullptr;
}

// The structures that these two tell of are LLVM's own.
XYLEM_EXPORT void* __kmpc_task_get_depnode(TaskData*) { return nullptr; }
XYLEM_EXPORT void* __kmpc_task_get_successors(TaskData*) { return nullptr; }

// No device goes on with a task: who would start something there waits for it.
XYLEM_EXPORT void** __kmpc_omp_get_target_async_handle_ptr(ThreadNumber) { return nullptr; }

// The calling member runs the code of its region.
XYLEM_EXPORT int32_t __kmpc_invoke_task_func(ThreadNumber) {
  const xylem::omp::Team& team = *current_member().team;
  team.function(team.data);
  return 1;
}

}  // extern "C"
