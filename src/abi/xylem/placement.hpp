// Owns: reading xylem_memory_how, for the doors that allocate and bind.
#pragma once

#include "mem/map/memory.hpp"
#include "xylem/memory.h"

namespace xylem::abi {

// What a caller asked for; `how` refers to part_nodes, so it is read where it is kept.
struct Placed {
  mem::How how;
  mem::NodeList part_nodes;

  Placed() = default;
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
};

// `asked` null: default placement. 0 or EINVAL. Starts the runtime.
int read_placement(const xylem_memory_how* asked, Placed& placed);

}  // namespace xylem::abi
