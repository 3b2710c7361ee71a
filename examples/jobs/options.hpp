// Options: what the command line asks for.
#pragma once

#include <functional>
#include <string>

#include "server.hpp"

namespace jobs {

struct Options {
  ServerOptions server;
  std::string matrix;  // a Matrix Market file; empty: a grid
  int size = 20;       // points along a side of the grid
  int dimensions = 3;
  int block = 32;  // most rows in a block
  bool json = false;
};

// What main() does: reads the command line and returns what `run` returns, or what the words call
// for.
int run_by_options(int argc, char** argv, const std::function<int(const Options&)>& run);

}  // namespace jobs
