// Owns: what programs ask of costs, xylem_memory_cost of include/xylem/memory.h.
#include "mem/cost/costs.hpp"

#include <cerrno>

#include "base/export.hpp"
#include "omp/team/runtime.hpp"
#include "xylem/memory.h"

namespace {

double cost_of_moving(const xylem::mem::Costs& costs, int from, int to, size_t bytes) {
  if (from == to) return 0;
  const size_t pages = bytes / costs.page_bytes + (bytes % costs.page_bytes != 0 ? 1 : 0);
  return costs.move_ns(static_cast<double>(pages));
}

double cost_of(int kind, int from, int to, size_t bytes) {
  const int nodes = xylem::omp::machine().node_count();
  if (from < 0 || to < 0 || from >= nodes || to >= nodes) return -1;
  const xylem::mem::Costs& costs = xylem::mem::costs();
  switch (kind) {
    case xylem_cost_read:
      return costs.read_ns(from, to, static_cast<double>(bytes));
    case xylem_cost_write:
      return costs.write_ns(from, to, static_cast<double>(bytes));
    case xylem_cost_move:
      return cost_of_moving(costs, from, to, bytes);
    default:
      return -1;
  }
}

}  // namespace

// The errno stays: files are read on the way.
extern "C" XYLEM_EXPORT double xylem_memory_cost(int kind, int from, int to, size_t size) {
  const int before = errno;
  xylem::omp::start_runtime();
  const double cost = cost_of(kind, from, to, size);
  errno = before;
  return cost;
}
