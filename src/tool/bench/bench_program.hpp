// `xylem bench -- program`: the program on Xylem beside the runtime that it came with.
#pragma once

#include <string>
#include <vector>

namespace xylem::tool {

// Whether these words behind `xylem bench` name a program to compare; else they are the harness's.
bool names_a_program(const std::vector<std::string>& words);

// Runs it on both in turn and prints what was seen; the exit code.
int bench_program(const std::vector<std::string>& words);

}  // namespace xylem::tool
