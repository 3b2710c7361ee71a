// Owns: `xylem models --plot`: the page on which models are drawn, a plot for each codelet, with
// logarithmic axes: each measured size as a dot at its median, with a bar from its least time to
// its most, and the law as a line where it holds.
#pragma once

#include <string>
#include <vector>

#include "tool/models/families.hpp"

namespace xylem::tool {

// Families of one codelet stand together.
std::string models_page(const std::vector<Family>& families);

}  // namespace xylem::tool
