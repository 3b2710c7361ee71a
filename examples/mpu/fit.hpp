// The local approximations: one quadric for the points around one cell of the octree, fitted by
// weighted least squares (Ohtake et al., "Multi-level Partition of Unity Implicits", 2003, section
// 4). A fit is a pure function of the cell and the cloud: which thread computes it changes no bit.
#pragma once

#include <array>

#include "point_tree.hpp"

namespace mpu {

// The cube |x - center| <= half in every direction.
struct Cell {
  Vec3 center;
  double half = 0;

  // Radius of the ball in which the cell's quadric counts: 3/4 of the cell's diagonal.
  double support() const { return half * 2.5980762113533160; }
};

// q(u) = c0 + c1 x + c2 y + c3 z + c4 xx + c5 yy + c6 zz + c7 xy + c8 yz + c9 zx.
struct Quadric {
  std::array<double, 10> c{};

  double value(const Vec3& u) const {
    return c[0] + u.x * (c[1] + c[4] * u.x + c[7] * u.y) + u.y * (c[2] + c[5] * u.y + c[8] * u.z) +
           u.z * (c[3] + c[6] * u.z + c[9] * u.x);
  }
  Vec3 gradient(const Vec3& u) const {
    return {c[1] + 2 * c[4] * u.x + c[7] * u.y + c[9] * u.z,
            c[2] + 2 * c[5] * u.y + c[7] * u.x + c[8] * u.z,
            c[3] + 2 * c[6] * u.z + c[8] * u.y + c[9] * u.x};
  }
};

// The weight of every least squares fit and of the blending: a quadratic B-spline that falls from
// 3/4 at the centre to 0 at `radius`.
inline double spline_weight(double distance, double radius) {
  const double t = 1.5 * distance / radius;
  if (t < 0.5) return 0.75 - t * t;
  return t < 1.5 ? 0.5 * (1.5 - t) * (1.5 - t) : 0;
}

struct Fit {
  Quadric quadric;   // in units of `scale` from the cell's centre; positive outside the surface
  double scale = 1;  // the radius that held enough points
  double error = 0;  // largest distance of the points in the cell's support; 0 if it holds none
};

Fit fit_cell(const PointTree& points, const Cell& cell);

}  // namespace mpu
