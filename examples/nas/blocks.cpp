// Owns: the blocks of BT's and SSOR's systems. See blocks.hpp.
#include "nas/blocks.hpp"

namespace nas::adi {

Point point_of(const Grid& g, std::ptrdiff_t p) {
  Point made{{}, g.inverse_density[p], g.kinetic[p], g.square[p]};
  for (int m = 0; m < equations; ++m) made.u[m] = g.u[p][m];
  return made;
}

__attribute__((no_sanitize("thread"))) void derive_flux(const Point& p, int c, Block& f) {
  const double w = p.u[c] * p.inverse;
  f = {};
  f.at[0][c] = 1;
  for (int m = 1; m <= 3; ++m) {
    f.at[m][0] = -p.u[m] * w * p.inverse;
    f.at[m][m] = w;
    f.at[m][c] += p.u[m] * p.inverse;
  }
  f.at[c][0] += c2 * p.kinetic;
  for (int m = 1; m <= 3; ++m) f.at[c][m] -= c2 * p.u[m] * p.inverse;
  f.at[c][4] = c2;
  f.at[4][0] = (2 * c2 * p.square - c1 * p.u[4]) * w * p.inverse;
  for (int m = 1; m <= 3; ++m) f.at[4][m] = -c2 * p.u[m] * w * p.inverse;
  f.at[4][c] += c1 * p.u[4] * p.inverse - c2 * p.kinetic;
  f.at[4][4] = c1 * w;
}

__attribute__((no_sanitize("thread"))) void derive_friction(const Point& p, int c, Block& n) {
  constexpr double heat = c3c4 * c1c5;
  const double inverse2 = p.inverse * p.inverse;
  n = {};
  n.at[4][0] = -heat * inverse2 * p.u[4];
  for (int m = 1; m <= 3; ++m) {
    const double factor = c3c4 * (m == c ? four_thirds : 1);
    n.at[m][0] = -factor * inverse2 * p.u[m];
    n.at[m][m] = factor * p.inverse;
    n.at[4][0] -= (factor - heat) * inverse2 * p.inverse * p.u[m] * p.u[m];
    n.at[4][m] = (factor - heat) * inverse2 * p.u[m];
  }
  n.at[4][4] = heat * p.inverse;
}

Factors factors_of(const Grid& g, int direction) {
  const double per_length = g.per_length(), second = g.step * per_length * per_length;
  return {0.5 * g.step * per_length, second, second * diffusion[direction]};
}

}  // namespace nas::adi
