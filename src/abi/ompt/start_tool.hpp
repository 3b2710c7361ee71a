// Owns: finding a tool and starting it (OpenMP 5.2 section 19.2): ompt_start_tool of the program or
// of a library that is loaded with it, else of the libraries that OMP_TOOL_LIBRARIES names.
#pragma once

namespace xylem::abi::ompt {

// While the library is loaded, with the environment captured: the runtime's start will look for a
// tool, if anything says that there may be one.
void expect_tool();

// The tool that was started ends: once, by the process's exit or by ompt_finalize_tool.
void finalize_tool();

// Whether a tool was started, also when it has ended.
bool tool_was_started();

}  // namespace xylem::abi::ompt
