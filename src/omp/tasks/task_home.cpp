// Owns: finding the memory node of a task's data. See task_home.hpp.
#include "omp/tasks/task_home.hpp"

#include <algorithm>

#include "mem/map/memory.hpp"
#include "omp/team/found_data.hpp"

namespace xylem::omp {

namespace {

int node_of(const void* address) {
  int node = -1;
  mem::locate(address, 1, {&node, 1});
  return std::max(node, -1);
}

}  // namespace

int home_of(Team& team, DependList dependences) {
  const Dependence* first = &dependences.front();
  for (const Dependence& dependence : dependences) {
    if (dependence.kind == DependKind::in) continue;
    first = &dependence;
    break;
  }
  const int node = node_of(first->address);
  note_task_data(team, node);
  return node;
}

int home_of(std::span<const AffinityItem> items) {
  const size_t count = std::min(items.size(), affinity_items_that_count);
  int nodes[affinity_items_that_count];
  for (size_t i = 0; i < count; ++i) nodes[i] = node_of(items[i].address);
  int best = -1;
  size_t most = 0;
  for (size_t i = 0; i < count; ++i) {
    if (nodes[i] < 0) continue;
    size_t bytes = 0;
    for (size_t k = 0; k < count; ++k) bytes += nodes[k] == nodes[i] ? items[k].bytes : 0;
    if (best < 0 || bytes > most) {
      best = nodes[i];
      most = bytes;
    }
  }
  return best;
}

}  // namespace xylem::omp
