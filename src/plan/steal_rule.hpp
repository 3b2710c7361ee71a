// Stealing as data: in what order an idle worker looks at other queues.
//
// Owns: StealRule and the pure functions that turn it into orders. RunQueue::steal obeys what it
// says of a queue. From paper 002, section 2.4.4 (NUMA-aware Work Stealing).
#pragma once

#include <algorithm>
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

// Which entity of a queue a thief takes. A seed range is what is left of a bubble: members that
// have not begun, each with the teams that it will open, so each is a complete subtree. Fibers that
// have begun are threads alone.
enum class Take : std::uint8_t {
  top_of_tree,  // the oldest seed range, which is nearest the root; else a fiber
  most_loaded,  // the seed range with most threads, those of known inner teams included, of equals
                // the oldest; else a fiber
  thread_alone  // a fiber; else one member of the youngest seed range
};

// How much of a seed range goes with the thief.
enum class Open : std::uint8_t {
  halves,  // the upper half of its members
  lone,    // the upper half if it is the only one of the queue, else all of it
  never,   // all of it
  always   // one member
};

struct StealRule {
  VictimOrder order = VictimOrder::nearest_first;
  bool across_nodes = true;  // false: a worker looks at no queue outside its memory node
  Take take = Take::top_of_tree;
  Open open = Open::halves;
  // What the thief leaves of an opened bubble, and what waits in that queue of the bubbles round
  // it: true: stays there; false: goes to the queue of the lowest level that holds both thief and
  // victim.
  bool leave_ancestors = true;
  bool operator==(const StealRule&) const = default;
};

// How many of `count` members of a seed range go with the thief, 1 .. count. `alone`: no other seed
// range stands in that queue.
constexpr int taken_of(const StealRule& rule, int count, bool alone) {
  if (rule.take == Take::thread_alone || rule.open == Open::always) return 1;
  const bool opened = rule.open == Open::halves || (rule.open == Open::lone && alone);
  return opened ? std::max(1, count / 2) : count;
}

// A queue to steal from, and the lowest level that holds both it and the thief: how far it is.
struct Victim {
  int level = 0;
  int common = 0;
  bool operator==(const Victim&) const = default;
};

// How far a thief looks. With random victims all stand for its own node.
enum class Reach : std::uint8_t { all, own_node, beyond_own_node };

// A number that differs from level to level as if drawn, for each `draw`.
int drawn_turn(int draw, int level);

namespace detail {

// From which child on the children of a level are visited. Drawn: another one at each level.
struct Turn {
  int by = 0;
  bool drawn = false;
  int first_of(Levels levels, int level) const {
    const int turn = drawn ? drawn_turn(by, level) : by;
    return turn % std::max(1, at(levels, level).child_count);
  }
};

template <class Has, class Visit>
bool visit_branch(Levels levels, int branch, int common, Turn turn, const Has& has,
                  const Visit& visit) {
  if (visit(Victim{branch, common})) return true;
  return has.each_child(branch, turn.first_of(levels, branch), [&](int child) {
    return visit_branch(levels, child, common, turn, has, visit);
  });
}

// The branches beside the one that holds the thief, those after it first.
template <class Has, class Visit>
bool visit_beside(Levels levels, int own, int turn, const Has& has, const Visit& visit) {
  const int common = at(levels, own).parent;
  return has.each_child(common, own - at(levels, common).first_child, [&](int child) {
    return child != own && visit_branch(levels, child, common, {turn}, has, visit);
  });
}

// All below `level`, which holds the thief's PU, the branches in drawn order.
template <class Has, class Visit>
bool visit_drawn(Levels levels, int level, int pu, Turn turn, const Has& has, const Visit& visit) {
  return has.each_child(level, turn.first_of(levels, level), [&](int child) {
    const topo::Level& below = at(levels, child);
    const bool own = pu >= below.first_pu && pu < below.first_pu + below.pu_count;
    return own ? visit_drawn(levels, child, pu, turn, has, visit)
               : visit_branch(levels, child, level, turn, has, visit);
  });
}

}  // namespace detail

// Where a thief stands.
struct Thief {
  int pu = 0;
  std::vector<int> own_and_above;  // the PU's level and those over it, nearest first
  int steps_on_node = 0;           // how many of the levels above hold no more than its memory node
};
Thief thief_at(Levels levels, int pu);

// Calls visit(Victim) for the queues that the thief does not look at anyway (its own and those of
// the levels above it), until it returns true; true if it did. Only for those of which `has` says
// that something may be there: has.each_child(level, first, visit) as LevelBits has it.
//
// Nearest first: by common level from the lowest; there the branches after the thief's own first,
// then round; in a branch from the top down, the children turned by the thief's position among its
// siblings, so that thieves spread over victims. Random: from the highest level down, the children
// of each level from a drawn one on; another `draw` gives another order.
template <class Has, class Visit>
bool visit_victims(Levels levels, const Thief& thief, const StealRule& rule, Reach reach, int draw,
                   const Has& has, const Visit& visit) {
  if (rule.order == VictimOrder::none) return false;
  const auto length = static_cast<int>(thief.own_and_above.size()) - 1;
  if (rule.order == VictimOrder::random) {
    const int top = rule.across_nodes ? length : std::min(length, thief.steps_on_node);
    return reach != Reach::beyond_own_node &&
           detail::visit_drawn(levels, thief.own_and_above[static_cast<std::size_t>(top)], thief.pu,
                               {draw, true}, has, visit);
  }
  for (int step = 0; step < length; ++step) {
    const bool on_node = step < thief.steps_on_node;
    if (!on_node && !rule.across_nodes) continue;
    if (reach != Reach::all && (reach == Reach::own_node) != on_node) continue;
    const int own = thief.own_and_above[static_cast<std::size_t>(step)];
    if (detail::visit_beside(levels, own, thief.pu - at(levels, own).first_pu, has, visit))
      return true;
  }
  return false;
}

// All victims, whether something is there or not: what the rule says, for tests of policies.
void victim_order(Levels levels, int pu, const StealRule& rule, std::vector<Victim>& out,
                  int draw = 0);

}  // namespace xylem::plan
