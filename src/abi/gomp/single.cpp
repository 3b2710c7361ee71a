// libgomp's entry points of the single construct. The compiled code has the barriers behind it.
#include "omp/loops/single.hpp"

#include "base/export.hpp"
#include "omp/tool/work.hpp"

using namespace xylem::omp;

extern "C" {

XYLEM_EXPORT bool GOMP_single_start() {
  if (tool::on()) [[unlikely]]
    return tool::single_enter(tool::here(), current_member());
  return single_enter(current_member());
}
XYLEM_EXPORT void* GOMP_single_copy_start() {
  if (tool::on()) [[unlikely]]
    return tool::single_copy_enter(tool::here(), current_member());
  return single_copy_enter(current_member());
}
XYLEM_EXPORT void GOMP_single_copy_end(void* data) {
  if (tool::on()) [[unlikely]]
    return tool::single_copy_leave(tool::here(), current_member(), data);
  single_copy_leave(current_member(), data);
}

}  // extern "C"
