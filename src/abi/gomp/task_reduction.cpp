// Owns: GCC's entry points of task reductions. Decodes, calls omp/, returns.
#include "abi/gomp/reduction_decode.hpp"
#include "base/export.hpp"
#include "omp/team/team.hpp"

using xylem::omp::current_member;

extern "C" {

XYLEM_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t* data) {
  auto* blocks = xylem::abi::decode_reductions(data);
  xylem::omp::begin_reductions(current_member(), blocks);
  xylem::abi::answer_reductions(data, blocks);
}

XYLEM_EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t* data) {
  xylem::omp::free_reductions(xylem::abi::blocks_of(data));
}

// Replaces ptrs[0..cnt-1], which name variables or copies of them, by the calling member's copies;
// for the first `cntorig` of them the variables themselves go to ptrs[cnt..].
XYLEM_EXPORT void GOMP_task_reduction_remap(size_t cnt, size_t cntorig, void** ptrs) {
  const auto& member = current_member();
  for (size_t i = 0; i < cnt; ++i) {
    const auto copy = xylem::omp::reduction_copy(member, member.task->taskgroup, ptrs[i]);
    ptrs[i] = copy.own;
    if (i < cntorig) ptrs[cnt + i] = const_cast<void*>(copy.original);
  }
}

XYLEM_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  xylem::omp::end_shared_reductions(current_member(), cancelled);
}

}  // extern "C"
