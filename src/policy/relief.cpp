// Owns: reliefs. See relief.hpp.
#include "policy/relief.hpp"

#include <algorithm>

#include "policy/weigh.hpp"

namespace xylem::policy {

namespace {

// By PU.
class Times {
 public:
  Times(plan::Levels levels, std::span<const Burden> burdens)
      : levels_(levels), ns_(static_cast<std::size_t>(levels[0].pu_count)) {
    for (const Burden& burden : burdens)
      for (double& ns : below(burden.level)) ns += share(burden);
  }

  double longest(int level) { return std::ranges::max(below(level)); }
  // Of one PU below its level.
  double share(const Burden& burden) const {
    return burden.ns / plan::at(levels_, burden.level).pu_count;
  }

 private:
  std::span<double> below(int level) {
    const topo::Level& here = plan::at(levels_, level);
    return std::span(ns_).subspan(static_cast<std::size_t>(here.first_pu),
                                  static_cast<std::size_t>(here.pu_count));
  }

  plan::Levels levels_;
  std::vector<double> ns_;
};

int node_above(plan::Levels levels, std::span<const int> nodes, int level) {
  while (level >= 0 && std::ranges::find(nodes, level) == nodes.end())
    level = plan::at(levels, level).parent;
  return level;
}

bool is_better(const Relief& one, const Relief& other) {
  if (one.gain_ns != other.gain_ns) return one.gain_ns > other.gain_ns;
  return one.cost_ns < other.cost_ns;
}

}  // namespace

double longest_ns(plan::Levels levels, std::span<const Burden> burdens) {
  return Times(levels, burdens).longest(0);
}

Relief best_relief(plan::Levels levels, std::span<const int> nodes, std::span<const Burden> burdens,
                   double budget_ns) {
  Times times(levels, burdens);
  const double most = times.longest(0);
  Relief best;
  for (std::size_t i = 0; i < burdens.size(); ++i) {
    const Burden& burden = burdens[i];
    if (times.longest(burden.level) < most) continue;
    const double share = times.share(burden);
    const int node = node_above(levels, nodes, burden.level);
    for (int level = 0; level < static_cast<int>(levels.size()); ++level) {
      if (level == burden.level ||
          plan::at(levels, level).pu_count != plan::at(levels, burden.level).pu_count)
        continue;
      const bool is_far = node_above(levels, nodes, level) != node;
      if (is_far && burden.bring_ns < 0) continue;
      const double after = std::max(most - share, times.longest(level) + share);
      const Relief found{static_cast<int>(i), level, most - after,
                         thread_move_ns + (is_far ? burden.bring_ns : 0)};
      if (found.cost_ns <= budget_ns && found.gain_ns >= least_gain * most &&
          (best.burden < 0 || is_better(found, best)))
        best = found;
    }
  }
  return best;
}

}  // namespace xylem::policy
