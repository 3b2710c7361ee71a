#include "line_solver.hpp"

namespace zones {

LineSolver::LineSolver(const Stencil& stencil, double weight, int points)
    : before_(-weight * stencil.before), reciprocal_(points), after_(points) {
  double eliminated = 0;
  for (int i = 0; i < points; ++i) {
    reciprocal_[i] = 1 / (1 - weight * stencil.here - before_ * eliminated);
    eliminated = after_[i] = -weight * stencil.after * reciprocal_[i];
  }
}

void LineSolver::solve(double* values, long stride, int lines) const {
  const int points = static_cast<int>(reciprocal_.size());
  for (int l = 0; l < lines; ++l) values[l] *= reciprocal_[0];
  for (int i = 1; i < points; ++i) {
    double* const row = values + i * stride;
    const double* const previous = row - stride;
    for (int l = 0; l < lines; ++l) row[l] = (row[l] - before_ * previous[l]) * reciprocal_[i];
  }
  for (int i = points - 2; i >= 0; --i) {
    double* const row = values + i * stride;
    const double* const next = row + stride;
    for (int l = 0; l < lines; ++l) row[l] -= after_[i] * next[l];
  }
}

}  // namespace zones
