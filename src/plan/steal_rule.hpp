// Stealing as data: in what order an idle worker looks at other queues.
//
// Owns: StealRule and the pure functions that turn it into tables. What is taken of a queue is
// RunQueue::steal. From paper 002, section 2.4.4 (NUMA-aware Work Stealing).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/levels.hpp"
#include "plan/random.hpp"

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

// Fills `out` with every queue that `pu` does not look at anyway (its own and those of the levels
// above it), in the order of the rule. Nearest first: by common level from the lowest; there the
// branches after the thief's own first, then round; in a branch the queues from the top down,
// each row turned by the thief's position among its siblings, so that thieves spread over victims.
// `random` is used by VictimOrder::random only. Once for each worker, at its start.
void victim_order(Levels levels, int pu, const StealRule& rule, Random& random,
                  std::vector<Victim>& out);

// How many of these, in front, are no farther than the PU's memory node; all, if it has none or the
// rule's order is another.
int victims_on_node(Levels levels, int pu, const StealRule& rule, std::span<const Victim> victims);

}  // namespace xylem::plan
