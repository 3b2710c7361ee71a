// Options: what the command line asks for. Invariant: exactly one of `inputs` and `shape` is given.
#pragma once

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
  bool help = false;
};

extern const char* const usage;

// Throws common::BadCommandLine.
Options parse_options(const std::vector<std::string>& arguments);

}  // namespace mpu
