// Stealing as data: in what order an idle worker looks at other queues, and what it takes.
//
// Owns: StealRule and the pure functions that turn it into tables and choices. exec owns the act of
// stealing. From paper 002, section 2.4.4 (NUMA-aware Work Stealing).
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

enum class StealTake : std::uint8_t {
  top_of_tree,  // the entity nearest to the root of the tree; of those the most loaded
  most_loaded,  // the entity with the most load, wherever in the tree
  thread_alone  // a lone fiber, never a bubble whole
};

enum class StealBurst : std::uint8_t {
  never,  // takes entities as they lie on the queue
  lone,   // opens a bubble that is alone on the victim's queue and takes a complete subtree of it
  always  // opens bubbles down to single fibers
};

struct StealRule {
  VictimOrder order = VictimOrder::nearest_first;
  StealTake take = StealTake::top_of_tree;
  StealBurst burst = StealBurst::lone;
  bool lift_ancestors = true;  // move the ancestors of what is taken to Victim::common
  bool across_nodes = true;    // false: a worker looks at no queue outside its memory node
};

// A queue to steal from, and the lowest level that holds both it and the thief: how far it is, and
// where the ancestors of what is taken go.
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

// An entity found on a victim's queue.
struct Candidate {
  bool bubble = false;
  int depth = 0;  // bubbles it belongs to, at any height
  int threads = 1;
  std::int64_t load = 1;
};

// What the thief does: takes candidate `index` as it lies, or opens it and chooses again among what
// it holds. index is -1 if there is nothing to take.
struct Choice {
  int index = -1;
  bool open = false;
};
Choice choose(const StealRule& rule, std::span<const Candidate> candidates);

// How many of `seeds` alike seeds of one run a thief takes: half, at least one; one alone under
// thread_alone. They are the last ones: the owner goes on from the front.
int share_of_run(const StealRule& rule, int seeds);

}  // namespace xylem::plan
