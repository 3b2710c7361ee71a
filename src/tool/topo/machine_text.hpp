// A machine as text: the tree, what is allowed, what is bound where, tables of nodes.
#pragma once

#include <string>

#include "tool/topo/machine_view.hpp"

namespace xylem::tool {

std::string draw_text(const MachineView& view);

// What topo::copy_threshold says of two logical PUs, in sentences.
std::string copy_threshold_text(const topo::Machine& machine, int pu_a, int pu_b);

}  // namespace xylem::tool
