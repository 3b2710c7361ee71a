// PointCloud: samples of a surface with outward unit normals, and the shapes that can be sampled
// without a file. Invariant: positions and normals have the same length.
#pragma once

#include <cstddef>
#include <vector>

#include "vec3.hpp"

namespace mpu {

struct Box {
  Vec3 low;
  Vec3 high;
};

struct PointCloud {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;

  std::size_t size() const { return positions.size(); }
  Box bounds() const;  // of a cloud that is not empty
};

// A torus whose radius varies along the tube, so that no single quadric fits it.
PointCloud sample_torus(std::size_t around, std::size_t across);

}  // namespace mpu
