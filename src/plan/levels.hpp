// Questions about a tree of levels: who lies below whom, and how much runs there.
//
// Pure functions on std::span<const topo::Level> as Machine::levels() gives it (breadth-first, PUs
// of a level contiguous), so that tests can draw trees that hwloc cannot. Levels are indices.
#pragma once

#include <span>

#include "topo/machine.hpp"

namespace xylem::plan {

using Levels = std::span<const topo::Level>;

inline const topo::Level& at(Levels levels, int level) {
  return levels[static_cast<std::size_t>(level)];
}

inline bool is_pu(Levels levels, int level) { return at(levels, level).child_count == 0; }

// True if `level` is `ancestor` or lies below it: walks up, at most the height of the tree.
bool lies_below(Levels levels, int level, int ancestor);

// Lowest level that holds both.
int common_level(Levels levels, int level_a, int level_b);

// Level of the logical PU, or -1 if the tree has none of that number.
int level_of_pu(Levels levels, int pu);

// The child of `ancestor` that is `level` or above it; -1 if `level` does not lie strictly below.
int child_towards(Levels levels, int ancestor, int level);

// Cores below the level; a PU under no core counts as one. What can compute at full speed at once.
int cores_below(Levels levels, int level);

}  // namespace xylem::plan
