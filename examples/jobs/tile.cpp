#include "tile.hpp"

#include <cmath>

namespace jobs {
namespace {

// target := target - factor * row
inline void subtract_row(double* target, const double* row, double factor, int count) {
#pragma omp simd
  for (int j = 0; j < count; ++j) target[j] -= factor * row[j];
}

}  // namespace

int tile_factor(double* a, int n, double smallest) {
  int replaced = 0;
  for (int k = 0; k < n; ++k) {
    double* const pivot_row = a + static_cast<long>(k) * n;
    if (!(std::abs(pivot_row[k]) >= smallest)) {
      pivot_row[k] = std::copysign(smallest, pivot_row[k]);
      ++replaced;
    }
    for (int i = k + 1; i < n; ++i) {
      double* const row = a + static_cast<long>(i) * n;
      row[k] /= pivot_row[k];
      subtract_row(row + k + 1, pivot_row + k + 1, row[k], n - k - 1);
    }
  }
  return replaced;
}

void tile_solve_lower(const double* lu, int n, double* b, int columns) {
  for (int i = 1; i < n; ++i)
    for (int k = 0; k < i; ++k)
      subtract_row(b + static_cast<long>(i) * columns, b + static_cast<long>(k) * columns,
                   lu[static_cast<long>(i) * n + k], columns);
}

void tile_solve_right(const double* lu, int n, double* b, int rows) {
  for (int i = 0; i < rows; ++i) {
    double* const row = b + static_cast<long>(i) * n;
    for (int k = 0; k < n; ++k) {
      const double* const upper = lu + static_cast<long>(k) * n;
      row[k] /= upper[k];
      subtract_row(row + k + 1, upper + k + 1, row[k], n - k - 1);
    }
  }
}

void tile_solve_upper(const double* lu, int n, double* b) {
  for (int i = n - 1; i >= 0; --i) {
    const double* const row = lu + static_cast<long>(i) * n;
    for (int k = i + 1; k < n; ++k) b[i] -= row[k] * b[k];
    b[i] /= row[i];
  }
}

void tile_subtract_product(double* c, const double* a, const double* b, int rows, int columns,
                           int inner) {
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < inner; ++k)
      subtract_row(c + static_cast<long>(i) * columns, b + static_cast<long>(k) * columns,
                   a[static_cast<long>(i) * inner + k], columns);
}

}  // namespace jobs
