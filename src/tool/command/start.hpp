// Becoming a program.
#pragma once

#include <string>
#include <vector>

#include "tool/command/common.hpp"
#include "tool/command/program.hpp"

namespace xylem::tool {

// Replaces this process by the program; words[0] is its own name. Returns only where that failed:
// the exit code, after saying why.
int start_program(const Program& program, const std::vector<std::string>& words,
                  const Environment& environment);

}  // namespace xylem::tool
