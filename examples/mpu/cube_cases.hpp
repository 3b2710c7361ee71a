// The table of marching cubes, derived instead of typed in: for each of the 256 patterns of inside
// corners, the triangles that separate inside from outside. On a face whose inside corners stand
// diagonally the inside corners are kept apart; both cubes of a face decide alike, so no holes.
#pragma once

#include <array>
#include <cstdint>

namespace mpu {

// Corner i stands at (i & 1, i >> 1 & 1, i >> 2 & 1). An edge is named by its lower corner and
// axis.
struct CubeEdge {
  std::uint8_t corner;
  std::uint8_t axis;
};

struct CubeCase {
  std::uint8_t triangle_count = 0;
  // Edges of each triangle, counter-clockwise seen from outside the surface.
  std::array<std::array<CubeEdge, 3>, 10> triangles{};
};

// Bit i of `inside` is set if corner i is inside.
const CubeCase& cube_case(std::uint8_t inside);

}  // namespace mpu
