// Owns: GCC's entry points of cancellation. Decodes, calls omp/, returns.
#include "abi/gomp/clause_decode.hpp"
#include "base/export.hpp"
#include "omp/team/team.hpp"

using xylem::abi::cancel_kind;
using xylem::omp::current_member;

extern "C" {

XYLEM_EXPORT bool GOMP_cancellation_point(int which) {
  return xylem::omp::cancellation_point(current_member(), cancel_kind(which));
}

XYLEM_EXPORT bool GOMP_cancel(int which, bool do_cancel) {
  if (!do_cancel) return GOMP_cancellation_point(which);
  return xylem::omp::cancel(current_member(), cancel_kind(which));
}

}  // extern "C"
