// Owns: LLVM's entry point of the affinity clause of tasks. Decodes, calls omp/, returns.
#include <algorithm>

#include "abi/kmp/task_data.hpp"
#include "base/export.hpp"
#include "omp/tasks/task_home.hpp"

namespace {

// One list item.
struct AffinityInfo {
  const void* address;
  size_t bytes;
  int32_t flags;
};
static_assert(sizeof(AffinityInfo) == 24);

}  // namespace

using namespace xylem::abi::kmp;

extern "C" {

// Before the task is submitted. The items live no longer than the call.
XYLEM_EXPORT int32_t __kmpc_omp_reg_task_with_affinity(const Location*, ThreadNumber,
                                                       TaskData* task, int32_t count,
                                                       const AffinityInfo* items) {
  xylem::omp::AffinityItem few[xylem::omp::affinity_items_that_count];
  const auto some = std::min<size_t>(static_cast<size_t>(std::max(count, 0)), std::size(few));
  for (size_t i = 0; i < some; ++i) few[i] = {items[i].address, items[i].bytes};
  xylem::omp::task_with(task).home = xylem::omp::home_of({few, some});
  return 0;
}

}  // extern "C"
