// Owns: LLVM's entry points of taskgroups. Decodes, calls omp/, returns.
#include "omp/tasks/taskgroup.hpp"

#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"
#include "omp/tasks/task_combine.hpp"
#include "omp/tool/synchronization.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
namespace tool = xylem::omp::tool;

extern "C" {

XYLEM_EXPORT void __kmpc_taskgroup(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]] {
    tool::taskgroup_start(tool::here());
    return;
  }
  xylem::omp::taskgroup_start(current_member());
}

XYLEM_EXPORT void __kmpc_end_taskgroup(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]]
    return tool::end_taskgroup_combining(tool::here());
  xylem::omp::end_taskgroup_combining(current_member());
}

}  // extern "C"
