// Options: what the command line asks for.
#pragma once

#include <string>
#include <vector>

#include "mesh.hpp"
#include "run.hpp"

namespace zones {

struct Options {
  ProblemClass problem{};  // with --steps in it
  Teams teams;
  bool verify = false;
  bool json = false;
  bool help = false;
};

extern const char* const usage;

// Throws common::BadCommandLine.
Options parse_options(const std::vector<std::string>& arguments);

}  // namespace zones
