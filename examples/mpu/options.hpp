// Options: what the command line asks for. Invariant: exactly one of `inputs` and `shape` is given.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "octree.hpp"

namespace mpu {

struct Options {
  std::vector<std::string> inputs;
  std::string shape;
  double eps = 9e-5;  // largest error of a fit, as a share of the box's diagonal
  int depth = 10;
  int threads_per_node = 4;
  Recursion recursion = Recursion::nested_teams;
  int resolution = 200;
  std::string mesh;
  std::string picture;
  int picture_size = 1000;
  bool stats = false;
  bool checksum = false;
};

// What main() does: reads the command line and returns what `run` returns, or what the words call
// for.
int run_by_options(int argc, char** argv, const std::function<int(const Options&)>& run);

}  // namespace mpu
