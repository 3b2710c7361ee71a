// A measure as text and as JSON.
//
// Owns: the two forms; docs/top.md describes them.
#pragma once

#include <string>

#include "tool/top/top_watch.hpp"

namespace xylem::tool {

// Lines that fit `rows` by `columns`; 0: as many and as wide as they are. What is left out is said.
std::string top_text(const Measure& measure, int rows, int columns, bool all);

// One JSON object, ended by a newline.
std::string top_json(const Measure& measure);

}  // namespace xylem::tool
