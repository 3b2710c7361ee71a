// Options: what the command line asks for.
#pragma once

#include <string>
#include <vector>

#include "server.hpp"

namespace jobs {

struct Options {
  ServerOptions server;
  std::string matrix;  // a Matrix Market file; empty: a grid
  int size = 20;       // points along a side of the grid
  int dimensions = 3;
  int block = 32;  // most rows in a block
  bool json = false;
  bool help = false;
};

extern const char* const usage;

// Throws common::BadCommandLine.
Options parse_options(const std::vector<std::string>& arguments);

}  // namespace jobs
