// The time steps, with two levels of OpenMP teams and without OpenMP.
#pragma once

#include <vector>

#include "mesh.hpp"

namespace zones {

struct Teams {
  int outer = 16;
  int inner = 4;
  bool tell_loads = true;
};

// What one thread of the outer team computes in each step.
struct Share {
  std::vector<int> zones;
  long points = 0;
};

struct Times {
  double seconds = 0;        // all time steps
  std::vector<double> busy;  // seconds that each share took, without waiting
  int outer_made = 0;        // threads that the runtime gave: the outer team
  int inner_made = 0;        // and the largest inner team
};

// The zones dealt to `outer` threads: the largest first, each to the one with the least so far.
std::vector<Share> deal(const Mesh& mesh, int outer);

// The largest share over the mean.
double imbalance(const std::vector<Share>& shares);
double imbalance(const std::vector<double>& shares);

Times run_nested(Mesh& mesh, int steps, const Teams& teams);
Times run_serially(Mesh& mesh, int steps);

}  // namespace zones
