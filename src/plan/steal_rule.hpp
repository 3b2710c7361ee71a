// Stealing as data: in what order an idle worker looks at other queues.
//
// Owns: StealRule and the pure functions that turn it into tables. What is taken of a queue is
// RunQueue::steal. From paper 002, section 2.4.4 (NUMA-aware Work Stealing).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/levels.hpp"

namespace xylem::plan {

enum class VictimOrder : std::uint8_t {
  nearest_first,  // widen the search level by level
  random,
  none  // never steals
};

struct StealRule {
  VictimOrder order = VictimOrder::nearest_first;
  bool across_nodes = true;  // false: a worker looks at no queue outside its memory node
};

// A queue to steal from, and the lowest level that holds both it and the thief: how far it is.
struct Victim {
  int level = 0;
  int common = 0;
  bool operator==(const Victim&) const = default;
};

// How far a thief looks. With random victims all stand for its own node.
enum class Reach : std::uint8_t { all, own_node, beyond_own_node };

namespace detail {

template <class Has, class Visit>
bool visit_branch(Levels levels, int branch, int common, int turn, const Has& has,
                  const Visit& visit) {
  if (!has.any_at_or_below(branch)) return false;
  if (visit(Victim{branch, common})) return true;
  const topo::Level& level = at(levels, branch);
  for (int i = 0; i < level.child_count; ++i)
    if (visit_branch(levels, level.first_child + (i + turn) % level.child_count, common, turn, has,
                     visit))
      return true;
  return false;
}

// The branches beside the one that holds the thief, those after it first.
template <class Has, class Visit>
bool visit_beside(Levels levels, int own, int turn, const Has& has, const Visit& visit) {
  const int common = at(levels, own).parent;
  const topo::Level& parent = at(levels, common);
  if (!has.any_but(common, own)) return false;
  for (int step = 1; step < parent.child_count; ++step) {
    const int place = (own - parent.first_child + step) % parent.child_count;
    if (visit_branch(levels, parent.first_child + place, common, turn, has, visit)) return true;
  }
  return false;
}

}  // namespace detail

// Where a thief stands.
struct Thief {
  int pu = 0;
  std::vector<int> own_and_above;  // the PU's level and those over it, nearest first
  int steps_on_node = 0;           // how many of the levels above hold no more than its memory node
};
Thief thief_at(Levels levels, int pu);

// A number that differs from PU to PU as if drawn.
int drawn_turn(int pu, int step);

// Calls visit(Victim) for the queues that the thief does not look at anyway (its own and those of
// the levels above it), until it returns true; true if it did. Only for those of which `has` says
// that something may be there: has.any_at_or_below(level), has.any_but(level, one of its children).
//
// Nearest first: by common level from the lowest; there the branches after the thief's own first,
// then round; in a branch from the top down, the children turned by the thief's position among its
// siblings, so that thieves spread over victims. Random: the common levels from the highest, which
// has most queues, the children turned as if drawn, the same each time.
template <class Has, class Visit>
bool visit_victims(Levels levels, const Thief& thief, const StealRule& rule, Reach reach,
                   const Has& has, const Visit& visit) {
  if (rule.order == VictimOrder::none) return false;
  const bool random = rule.order == VictimOrder::random;
  const int length = static_cast<int>(thief.own_and_above.size()) - 1;
  for (int i = 0; i < length; ++i) {
    const int step = random ? length - 1 - i : i;
    const bool on_node = step < thief.steps_on_node;
    if (!on_node && !rule.across_nodes) continue;
    if (reach != Reach::all && (reach == Reach::own_node) != (on_node || random)) continue;
    const int own = thief.own_and_above[static_cast<std::size_t>(step)];
    const int turn = random ? drawn_turn(thief.pu, step) : thief.pu - at(levels, own).first_pu;
    if (detail::visit_beside(levels, own, turn, has, visit)) return true;
  }
  return false;
}

// All victims, whether something is there or not: what the rule says, for tests of policies.
void victim_order(Levels levels, int pu, const StealRule& rule, std::vector<Victim>& out);

}  // namespace xylem::plan
