// Owns: LLVM's entry points of cancellation. Decodes, calls omp/, returns.
#include "omp/team/cancel.hpp"

#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"
#include "omp/tool/synchronization.hpp"
#include "omp/tool/work.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::CancelKind;
using xylem::omp::current_member;
namespace tool = xylem::omp::tool;

namespace {

CancelKind cancel_kind(int32_t kind) {
  switch (kind) {
    case 2:
      return CancelKind::loop;
    case 3:
      return CancelKind::sections;
    case 4:
      return CancelKind::taskgroup;
    default:
      return CancelKind::parallel;  // 1
  }
}

}  // namespace

extern "C" {

// Answers 1 if the caller must go to the end of the construct.
XYLEM_EXPORT int32_t __kmpc_cancel(const Location*, ThreadNumber, int32_t kind) {
  if (tool::on()) [[unlikely]]
    return tool::cancel(tool::here(), cancel_kind(kind));
  return xylem::omp::cancel(current_member(), cancel_kind(kind));
}

XYLEM_EXPORT int32_t __kmpc_cancellationpoint(const Location*, ThreadNumber, int32_t kind) {
  if (tool::on()) [[unlikely]]
    return tool::cancellation_point(tool::here(), cancel_kind(kind));
  return xylem::omp::cancellation_point(current_member(), cancel_kind(kind));
}

// Also called by who leaves a cancelled region, on its way to the end: it waits for nobody.
XYLEM_EXPORT int32_t __kmpc_cancel_barrier(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]]
    return tool::barrier_cancel(tool::here(), tool::SyncKind::barrier_implicit_workshare);
  return xylem::omp::team_barrier_cancel(current_member());
}

}  // extern "C"
