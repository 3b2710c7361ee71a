// BT: each direction of a step is a block tridiagonal system for each line of
// the grid, of blocks of 5 by 5.
//
// Written from the benchmark's published description.
#include "nas/adi.hpp"
#include "nas/blocks.hpp"

namespace nas {

namespace {

using adi::Block;
using adi::equations;
using adi::Factors;
using adi::Grid;

constexpr adi::Class classes[] = {
    {"S",
     12,
     60,
     0.01,
     {1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02,
      2.6436421275166801e-02, 1.9211784131744430e-01},
     {4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05,
      7.3821238632439731e-05, 8.9269630987491446e-04}},
    {"W",
     24,
     200,
     0.0008,
     {0.1125590409344e+03, 0.1180007595731e+02, 0.2710329767846e+02, 0.2469174937669e+02,
      0.2638427874317e+03},
     {0.4419655736008e+01, 0.4638531260002e+00, 0.1011551749967e+01, 0.9235878729944e+00,
      0.1018045837718e+02}},
    {"A",
     64,
     200,
     0.0008,
     {1.0806346714637264e+02, 1.1319730901220813e+01, 2.5974354511582465e+01,
      2.3665622544678910e+01, 2.5278963211748344e+02},
     {4.2348416040525025e+00, 4.4390282496995698e-01, 9.6692480136345650e-01,
      8.8302063039765474e-01, 9.7379901770829278e+00}}};

// What a thread needs to solve a line, its own: its accesses are not counted.
struct Line {
  explicit Line(int size)
      : flux(static_cast<std::size_t>(size)),
        friction(static_cast<std::size_t>(size)),
        above(static_cast<std::size_t>(size)) {}

  // By point: the derivatives of the flux and of friction, and, once the line
  // is eliminated, the block above the diagonal.
  std::vector<Block> flux, friction, above;
};

// A row of the system, and its right-hand side.
struct Row {
  Block below, diagonal, above;
  double right[equations];
};

__attribute__((no_sanitize("thread"))) void make_row(const Line& line, std::size_t i, Factors by,
                                                     Row& row) {
  const Block *flux = line.flux.data() + i, *friction = line.friction.data() + i;
  for (int m = 0; m < equations; ++m)
    for (int n = 0; n < equations; ++n) {
      const double own = m == n ? by.diffusion : 0;
      row.below.at[m][n] = -by.flux * flux[-1].at[m][n] - by.friction * friction[-1].at[m][n] - own;
      row.diagonal.at[m][n] = (m == n ? 1 : 0) + 2 * (by.friction * friction[0].at[m][n] + own);
      row.above.at[m][n] = by.flux * flux[1].at[m][n] - by.friction * friction[1].at[m][n] - own;
    }
}

// right -= block times vector.
__attribute__((no_sanitize("thread"))) void subtract(const Block& block, const double* vector,
                                                     double* right) {
  for (int m = 0; m < equations; ++m)
    for (int n = 0; n < equations; ++n) right[m] -= block.at[m][n] * vector[n];
}

// diagonal -= below times the block above the diagonal of the row before.
__attribute__((no_sanitize("thread"))) void subtract(const Block& before, Row& row) {
  for (int m = 0; m < equations; ++m)
    for (int k = 0; k < equations; ++k)
      for (int n = 0; n < equations; ++n)
        row.diagonal.at[m][n] -= row.below.at[m][k] * before.at[k][n];
}

// The diagonal becomes the unit block: by Gauss and Jordan, without pivots.
__attribute__((no_sanitize("thread"))) void divide_by_diagonal(Row& row) {
  for (int p = 0; p < equations; ++p) {
    double *pivots = row.diagonal.at[p], *above = row.above.at[p];
    const double factor = 1 / pivots[p];
    for (int n = 0; n < equations; ++n) pivots[n] *= factor;
    for (int n = 0; n < equations; ++n) above[n] *= factor;
    row.right[p] *= factor;
    for (int m = 0; m < equations; ++m) {
      if (m == p) continue;
      const double by = row.diagonal.at[m][p];
      for (int n = 0; n < equations; ++n) row.diagonal.at[m][n] -= by * pivots[n];
      for (int n = 0; n < equations; ++n) row.above.at[m][n] -= by * above[n];
      row.right[m] -= by * row.right[p];
    }
  }
}

void derive_line(const Grid& g, int c, std::ptrdiff_t first, std::ptrdiff_t stride, Line& line) {
  for (int i = 0; i < g.size; ++i) {
    const adi::Point point = adi::point_of(g, first + i * stride);
    adi::derive_flux(point, c, line.flux[static_cast<std::size_t>(i)]);
    adi::derive_friction(point, c, line.friction[static_cast<std::size_t>(i)]);
  }
}

// On the faces nothing changes: rows 1 to size - 2 are the system.
void solve_line(const Grid& g, Factors by, std::ptrdiff_t first, std::ptrdiff_t stride,
                Line& line) {
  Row row;
  line.above[0] = {};
  for (int i = 1; i < g.size - 1; ++i) {
    const auto at = static_cast<std::size_t>(i);
    double* rhs = g.rhs[first + i * stride];
    make_row(line, at, by, row);
    for (int m = 0; m < equations; ++m) row.right[m] = rhs[m];
    subtract(row.below, g.rhs[first + (i - 1) * stride], row.right);
    subtract(line.above[at - 1], row);
    divide_by_diagonal(row);
    line.above[at] = row.above;
    for (int m = 0; m < equations; ++m) rhs[m] = row.right[m];
  }
  for (int i = g.size - 3; i >= 1; --i)
    subtract(line.above[static_cast<std::size_t>(i)], g.rhs[first + (i + 1) * stride],
             g.rhs[first + i * stride]);
}

void solve(const Grid& g, int direction) {
  const Factors by = adi::factors_of(g, direction);
  adi::for_each_line<Line>(g, direction,
                           [&](Line& line, std::ptrdiff_t first, std::ptrdiff_t stride) {
                             derive_line(g, 1 + direction, first, stride, line);
                             solve_line(g, by, first, stride, line);
                           });
}

void step(const Grid& g) {
  adi::make_rhs(g);
  for (int direction = 0; direction < 3; ++direction) solve(g, direction);
  adi::add(g);
}

}  // namespace

Outcome run_bt(const Wanted& wanted, Data& data) {
  return adi::run(classes, wanted, false, data, step);
}

}  // namespace nas
