// Owns: GCC's entry points of cancellation. Decodes, calls omp/, returns.
#include "abi/gomp/clause_decode.hpp"
#include "base/export.hpp"
#include "omp/tool/work.hpp"

using xylem::abi::cancel_kind;
using xylem::omp::current_member;
namespace tool = xylem::omp::tool;

extern "C" {

XYLEM_EXPORT bool GOMP_cancellation_point(int which) {
  if (tool::on()) [[unlikely]]
    return tool::cancellation_point(tool::here(), cancel_kind(which));
  return xylem::omp::cancellation_point(current_member(), cancel_kind(which));
}

XYLEM_EXPORT bool GOMP_cancel(int which, bool do_cancel) {
  if (tool::on()) [[unlikely]] {
    return do_cancel ? tool::cancel(tool::here(), cancel_kind(which))
                     : tool::cancellation_point(tool::here(), cancel_kind(which));
  }
  if (!do_cancel) return GOMP_cancellation_point(which);
  return xylem::omp::cancel(current_member(), cancel_kind(which));
}

}  // extern "C"
