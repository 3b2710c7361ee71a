// Owns: GCC's entry points of cancellation. Decodes, calls omp/, returns.
#include "omp/team/cancel.hpp"

#include "base/export.hpp"
#include "omp/team/team.hpp"

using xylem::omp::CancelKind;
using xylem::omp::current_member;

extern "C" {

XYLEM_EXPORT bool GOMP_cancellation_point(int which) {
  return xylem::omp::cancellation_point(current_member(), static_cast<CancelKind>(which));
}

XYLEM_EXPORT bool GOMP_cancel(int which, bool do_cancel) {
  const auto kind = static_cast<CancelKind>(which);
  if (!do_cancel) return xylem::omp::cancellation_point(current_member(), kind);
  return xylem::omp::cancel(current_member(), kind);
}

}  // extern "C"
