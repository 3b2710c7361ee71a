// Mesh: a triangle mesh with a normal at each vertex. Invariant: positions and normals have the
// same length; triangles name vertices that exist, counter-clockwise seen from outside.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "vec3.hpp"

namespace mpu {

struct Mesh {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;
  std::vector<std::array<std::uint32_t, 3>> triangles;

  // FNV-1a over the bytes of every vertex and triangle: equal meshes, and in practice only those,
  // have equal checksums.
  std::uint64_t checksum() const;

  // By the ending of the name: .ply with normals, else OFF. Throws std::runtime_error.
  void write(const std::string& path) const;
};

// Without the connected parts that have fewer than `share` of the triangles.
Mesh without_specks(const Mesh& mesh, double share);

}  // namespace mpu
