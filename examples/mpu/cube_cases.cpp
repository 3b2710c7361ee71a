// Each run of inside corners around a face gives one directed segment between two crossed edges.
// A crossed edge lies in two faces, as the end of a segment in one and the start in the other, so
// the segments chain into closed loops; a loop is cut into a fan of triangles.
#include "cube_cases.hpp"

namespace mpu {
namespace {

// Corners of each face, counter-clockwise seen from outside the cube.
constexpr std::uint8_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

// Index of the edge between two adjacent corners: lower corner * 3 + axis.
constexpr int edge_index(int a, int b) {
  const int axis_bit = a ^ b;
  const int axis = axis_bit == 1 ? 0 : axis_bit == 2 ? 1 : 2;
  return (a < b ? a : b) * 3 + axis;
}

constexpr CubeEdge edge_of(int index) {
  return {static_cast<std::uint8_t>(index / 3), static_cast<std::uint8_t>(index % 3)};
}

using Successors = std::array<int, 24>;  // the next crossed edge of the loop; -1: not crossed

constexpr void link_face(const std::uint8_t (&face)[4], int inside, Successors& next) {
  const auto is_inside = [&](int i) { return (inside >> face[i % 4] & 1) != 0; };
  for (int start = 0; start < 4; ++start) {
    if (!is_inside(start) || is_inside(start + 3)) continue;
    int end = start;
    while (is_inside(end + 1))
      ++end;  // a run never fills the face: start follows an outside corner
    const int entered = edge_index(face[(start + 3) % 4], face[start]);
    const int left = edge_index(face[end % 4], face[(end + 1) % 4]);
    next[left] = entered;
  }
}

constexpr CubeCase make_case(int inside) {
  Successors next{};
  next.fill(-1);
  for (const auto& face : faces) link_face(face, inside, next);
  CubeCase result;
  for (int first = 0; first < 24; ++first) {
    if (next[first] < 0) continue;
    int second = next[first];
    for (int third = next[second]; third != first; third = next[third]) {
      result.triangles[result.triangle_count++] = {edge_of(first), edge_of(second), edge_of(third)};
      next[second] = -1;
      second = third;
    }
    next[second] = -1;
    next[first] = -1;
  }
  return result;
}

constexpr std::array<CubeCase, 256> make_cases() {
  std::array<CubeCase, 256> cases{};
  for (int inside = 0; inside < 256; ++inside) cases[inside] = make_case(inside);
  return cases;
}

constexpr std::array<CubeCase, 256> cases = make_cases();

}  // namespace

const CubeCase& cube_case(std::uint8_t inside) { return cases[inside]; }

}  // namespace mpu
