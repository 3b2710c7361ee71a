// Orders of victims; see the header.
#include "plan/steal_rule.hpp"

#include <algorithm>
#include <utility>

namespace xylem::plan {
namespace {

// Appends the queues of one branch, row by row from its top; each row starts at place `turn`.
void append_branch(Levels levels, int branch, int common, int turn, std::vector<Victim>& out) {
  int first = branch;
  int count = 1;
  while (count > 0) {
    int next_first = -1;
    int next_count = 0;
    for (int i = 0; i < count; ++i) {
      const topo::Level& level = at(levels, first + i);
      out.push_back({first + (i + turn) % count, common});
      if (level.child_count > 0 && next_first < 0) next_first = level.first_child;
      next_count += level.child_count;
    }
    first = next_first;
    count = next_count;
  }
}

void shuffle(std::vector<Victim>& victims, Random& random) {
  for (std::size_t i = victims.size(); i > 1; --i)
    std::swap(victims[i - 1], victims[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
}

}  // namespace

void victim_order(Levels levels, int pu, const StealRule& rule, Random& random,
                  std::vector<Victim>& out) {
  out.clear();
  if (rule.order == VictimOrder::none) return;
  for (int own = level_of_pu(levels, pu); own > 0; own = at(levels, own).parent) {
    if (!rule.across_nodes && at(levels, own).kind == topo::LevelKind::node) break;
    int common = at(levels, own).parent;
    const topo::Level& parent = at(levels, common);
    int turn = pu - at(levels, own).first_pu;
    for (int step = 1; step < parent.child_count; ++step) {
      int place = (own - parent.first_child + step) % parent.child_count;
      append_branch(levels, parent.first_child + place, common, turn, out);
    }
  }
  if (rule.order == VictimOrder::random) shuffle(out, random);
}

int victims_on_node(Levels levels, int pu, const StealRule& rule, std::span<const Victim> victims) {
  int node = level_of_pu(levels, pu);
  while (node >= 0 && at(levels, node).kind != topo::LevelKind::node)
    node = at(levels, node).parent;
  if (node < 0 || rule.order != VictimOrder::nearest_first) return static_cast<int>(victims.size());
  const auto far = [&](const Victim& victim) {
    return at(levels, victim.common).pu_count > at(levels, node).pu_count;
  };
  return static_cast<int>(std::find_if(victims.begin(), victims.end(), far) - victims.begin());
}

}  // namespace xylem::plan
