// A machine's tree while it is being made, and the two ways of laying it out.
//
// Owns: Draft, flatten, collapse. Pure functions on plain data: no hwloc here, so tests can draw
// any tree. Invariant: what flatten and collapse return is in breadth-first order with contiguous
// children and contiguous PUs.
#pragma once

#include <vector>

#include "topo/machine.hpp"

namespace xylem::topo {

// One level as found, children by index in the same vector. parent, first_child, child_count of
// `level` are not yet set; first_pu and pu_count are.
struct Draft {
  Level level;
  std::vector<int> children;
};

// Lays the drafts out from drafts[0]; a draft without PUs is left out with all below it.
// `places[d]` becomes the index of draft d in the answer, or -1.
std::vector<Level> flatten(const std::vector<Draft>& drafts, std::vector<int>& places);

// The tree with every chain of levels that hold the same PUs made one. `places[l]` becomes the
// index in the answer of the level that stands for full[l].
std::vector<Level> collapse(const std::vector<Level>& full, std::vector<int>& places);

// nullptr if the tree keeps Machine's invariants for `pu_count` PUs, else which one is broken.
const char* check_tree(std::span<const Level> levels, int pu_count);

}  // namespace xylem::topo
