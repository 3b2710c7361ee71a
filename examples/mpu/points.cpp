// Bounds of a cloud, and the sampled torus.
#include "points.hpp"

#include <algorithm>
#include <numbers>

namespace mpu {

Box PointCloud::bounds() const {
  Box box{positions.front(), positions.front()};
  for (const Vec3& p : positions) {
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y), std::min(box.low.z, p.z)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y), std::max(box.high.z, p.z)};
  }
  return box;
}

PointCloud sample_torus(std::size_t around, std::size_t across) {
  constexpr double turn = 2 * std::numbers::pi;
  constexpr double ring = 1.0, tube = 0.4, ripple = 0.05, ripples = 5;
  PointCloud cloud;
  for (std::size_t i = 0; i < around; ++i) {
    const double a = turn * static_cast<double>(i) / static_cast<double>(around);
    const double radius = tube + ripple * std::cos(ripples * a);
    const double slope = -ripple * ripples * std::sin(ripples * a);  // of the radius
    const Vec3 out{std::cos(a), 0, std::sin(a)}, along{-std::sin(a), 0, std::cos(a)};
    for (std::size_t j = 0; j < across; ++j) {
      const double b = turn * static_cast<double>(j) / static_cast<double>(across);
      const Vec3 spoke = out * std::cos(b) + Vec3{0, std::sin(b), 0};
      const double stretch = ring + radius * std::cos(b);
      cloud.positions.push_back(out * ring + spoke * radius);
      cloud.normals.push_back(normalised(spoke * stretch - along * slope));
    }
  }
  return cloud;
}

}  // namespace mpu
