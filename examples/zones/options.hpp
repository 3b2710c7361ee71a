// Options: what the command line asks for.
#pragma once

#include <functional>

#include "mesh.hpp"
#include "run.hpp"

namespace zones {

struct Options {
  ProblemClass problem{};  // with --steps in it
  Teams teams;
  bool verify = false;
  bool json = false;
};

// What main() does: reads the command line and returns what `run` returns, or what the words call
// for.
int run_by_options(int argc, char** argv, const std::function<int(const Options&)>& run);

}  // namespace zones
