// Owns: the machine as text in a trace's header.
#pragma once

#include <vector>

#include "topo/machine.hpp"

namespace xylem::trace {

// Appends a line for each level, in the order of their indices:
//   kind os_index cache_depth parent first_pu pus name
// Names are unique: the kind and a count, such as machine, node0, l3cache1, core7, pu12.
void append_machine_text(const topo::Machine& machine, std::vector<char>& out);

}  // namespace xylem::trace
