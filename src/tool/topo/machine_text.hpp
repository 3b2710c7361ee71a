// A machine as text: the tree, what is allowed, what is bound where, tables of nodes.
#pragma once

#include <string>

#include "tool/topo/machine_view.hpp"

namespace xylem::tool {

std::string draw_text(const MachineView& view);

}  // namespace xylem::tool
