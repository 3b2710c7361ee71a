// libgomp's entry points of the ordered construct.
#include "omp/loops/ordered.hpp"

#include "base/export.hpp"
#include "omp/tool/mutexes.hpp"

using namespace xylem::omp;

extern "C" {

XYLEM_EXPORT void GOMP_ordered_start() {
  if (tool::on()) [[unlikely]]
    return tool::ordered_enter(tool::here(), current_member());
  ordered_enter(current_member());
}

// The turn goes on with the whole chunk, when the member asks for its next one.
XYLEM_EXPORT void GOMP_ordered_end() {
  if (tool::on()) [[unlikely]]
    tool::ordered_leave(tool::here(), current_member());
}

}  // extern "C"
