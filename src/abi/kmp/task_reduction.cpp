// Owns: LLVM's entry points of task reductions. Decodes, calls omp/, returns.
//
// What the entry points that begin reductions return, the compiled code hands to
// __kmpc_task_reduction_get_th_data(): the taskgroup.
#include "abi/kmp/kmp.hpp"
#include "abi/kmp/reduction_decode.hpp"
#include "base/export.hpp"
#include "omp/tasks/task_combine.hpp"
#include "omp/tool/synchronization.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
using xylem::omp::Member;
using xylem::omp::SharedBy;
using xylem::omp::Taskgroup;
namespace tool = xylem::omp::tool;

namespace {

template <class Input>
std::span<const Input> array(int32_t count, const Input* inputs) {
  return {inputs, static_cast<size_t>(count)};
}

// Of the current taskgroup.
template <class Input>
Taskgroup* begin(int32_t count, const Input* inputs) {
  Member& member = current_member();
  xylem::omp::begin_combining(member, decode_reductions(array(count, inputs)));
  return member.task->taskgroup;
}

SharedBy shared_by(int32_t worksharing) {
  return worksharing ? SharedBy::worksharing : SharedBy::region;
}

// Of a reduction clause with the task modifier. Inlined in the entry points: a tool is told where
// they were called.
template <class Input>
[[gnu::always_inline]] inline Taskgroup* begin_shared(int32_t worksharing, int32_t count,
                                                      const Input* inputs) {
  Member& member = current_member();
  xylem::omp::ReductionBlock& block = decode_reductions(array(count, inputs));
  if (tool::on()) [[unlikely]]
    tool::begin_combining(tool::here(), block, shared_by(worksharing));
  else
    xylem::omp::begin_combining(member, block, shared_by(worksharing));
  return member.task->taskgroup;
}

}  // namespace

extern "C" {

XYLEM_EXPORT void* __kmpc_task_reduction_init(ThreadNumber, int32_t count,
                                              const ReductionInput* inputs) {
  return begin(count, inputs);
}
XYLEM_EXPORT void* __kmpc_taskred_init(ThreadNumber, int32_t count,
                                       const ReductionInputFrom* inputs) {
  return begin(count, inputs);
}

XYLEM_EXPORT void* __kmpc_task_reduction_modifier_init(const Location*, ThreadNumber,
                                                       int32_t worksharing, int32_t count,
                                                       const ReductionInput* inputs) {
  return begin_shared(worksharing, count, inputs);
}
XYLEM_EXPORT void* __kmpc_taskred_modifier_init(const Location*, ThreadNumber, int32_t worksharing,
                                                int32_t count, const ReductionInputFrom* inputs) {
  return begin_shared(worksharing, count, inputs);
}
XYLEM_EXPORT void __kmpc_task_reduction_modifier_fini(const Location*, ThreadNumber,
                                                      int32_t worksharing) {
  if (tool::on()) [[unlikely]]
    return tool::end_combining(tool::here(), shared_by(worksharing));
  xylem::omp::end_combining(current_member(), shared_by(worksharing));
}

// `taskgroup` may be null: then the current one.
XYLEM_EXPORT void* __kmpc_task_reduction_get_th_data(ThreadNumber, void* taskgroup,
                                                     void* variable) {
  return xylem::omp::copy_to_combine(current_member(), static_cast<Taskgroup*>(taskgroup),
                                     variable);
}

}  // extern "C"
