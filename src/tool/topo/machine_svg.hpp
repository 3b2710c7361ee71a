// A machine as an SVG drawing: nested boxes, a legend, a title.
#pragma once

#include <string>

#include "tool/topo/machine_view.hpp"

namespace xylem::tool {

std::string draw_svg(const MachineView& view);

}  // namespace xylem::tool
