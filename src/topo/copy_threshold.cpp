// See copy_threshold.hpp.
#include "topo/copy_threshold.hpp"

namespace xylem::topo {

namespace {

bool holds(const Level& level, int pu) {
  return pu >= level.first_pu && pu < level.first_pu + level.pu_count;
}

// The largest cache above both PUs; -1 if there is none.
int largest_cache(const Machine& machine, int pu_a, int pu_b) {
  const auto levels = machine.full_levels();
  int best = -1;
  std::uint64_t most = 0;
  for (int at = machine.pus()[static_cast<std::size_t>(pu_a)].full_level; at >= 0;
       at = levels[static_cast<std::size_t>(at)].parent) {
    const Level& level = levels[static_cast<std::size_t>(at)];
    if (level.cache_bytes <= most || !holds(level, pu_b)) continue;
    most = level.cache_bytes;
    best = at;
  }
  return best;
}

std::uint64_t bytes_of(const Machine& machine, int level) {
  return level < 0 ? 0 : machine.full_levels()[static_cast<std::size_t>(level)].cache_bytes;
}

}  // namespace

CopyThreshold copy_threshold(const Machine& machine, int pu_a, int pu_b, int processes) {
  CopyThreshold found;
  found.level = largest_cache(machine, pu_a, pu_b);
  found.shared = found.level >= 0;
  if (!found.shared) {
    const int of_a = largest_cache(machine, pu_a, pu_a), of_b = largest_cache(machine, pu_b, pu_b);
    found.level = bytes_of(machine, of_b) < bytes_of(machine, of_a) ? of_b : of_a;
  }
  found.cache_bytes = bytes_of(machine, found.level);
  found.processes = processes > 0 ? processes : found.shared && pu_a != pu_b ? 2 : 1;
  found.bytes = found.cache_bytes / 2 / static_cast<std::uint64_t>(found.processes);
  return found;
}

}  // namespace xylem::topo
