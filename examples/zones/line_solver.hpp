// LineSolver: solves (1 - weight L) d = r along grid lines of one length, where L is a Stencil and
// d is 0 beyond both ends. The elimination (Thomas) is done once; it is the same for all lines.
#pragma once

#include <vector>

#include "equation.hpp"

namespace zones {

class LineSolver {
 public:
  LineSolver(const Stencil& stencil, double weight, int points);

  // Solves `lines` lines at once that lie beside each other in memory. `values` is the first point
  // of the first line, `stride` the distance between two points of a line. r becomes d in place.
  void solve(double* values, long stride, int lines) const;

 private:
  double before_;
  std::vector<double> reciprocal_;  // of the pivots
  std::vector<double> after_;       // the upper diagonal after elimination
};

}  // namespace zones
