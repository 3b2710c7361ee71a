// Owns: what is said of costs where nothing, or not all, was measured. Pure functions.
#pragma once

#include <span>

#include "mem/cost/costs.hpp"

namespace xylem::mem {

// From the machine's distances (firmware's or drawn; 10 local and 20 else, without any) and the
// move costs of paper 000, section 3.2: 120 us and 11 us a page.
Costs estimated_costs(const topo::Machine& machine);

// Entries of a measured matrix that are 0 become the estimate, scaled by the median of how far what
// was measured is from its estimate. Both have the same size; the estimate's are above 0.
void fill_gaps(std::span<double> measured, std::span<const double> estimate);

struct MoveSample {
  double pages = 0;
  double ns = 0;
};
struct Line {
  double start = 0;  // >= 0
  double slope = 0;  // > 0 for samples above 0
};
// The line whose relative errors have the least sum of squares (small moves count as much as large
// ones), through the origin if it would cross the axis below.
Line fit_moves(std::span<const MoveSample> samples);

// Reorders the values. 0 for none.
double median(std::span<double> values);

}  // namespace xylem::mem
