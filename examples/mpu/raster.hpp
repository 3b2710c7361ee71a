// Raster: which triangle of a mesh each sample of an orthographic view sees, and how near it is.
// Bands of rows are drawn in parallel, each by one thread, so the result has no races to settle.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "mesh.hpp"

namespace mpu {

// Looks along -toward at a square of 2 * extent a side around `center`. The three directions are
// unit vectors at right angles.
struct View {
  Vec3 center;
  Vec3 right;
  Vec3 up;
  Vec3 toward;
  double extent = 1;
  int size = 0;  // samples along a side

  // A view of `center` from direction `toward`, with world y upwards.
  static View from(const Vec3& center, const Vec3& toward, double extent, int size);

  // Column, row (both at sample centres + 0.5) and nearness of a point.
  Vec3 project(const Vec3& p) const;
  Vec3 place(double column, double row, double nearness) const;
};

constexpr std::uint32_t no_triangle = ~0u;

struct Raster {
  View view;
  std::vector<float> nearness;           // larger is nearer; -infinity where nothing is seen
  std::vector<std::uint32_t> triangles;  // no_triangle where nothing is seen

  std::size_t at(int column, int row) const {
    return static_cast<std::size_t>(row) * view.size + column;
  }
};

Raster rasterise(const Mesh& mesh, const View& view);

// The mesh's normal, interpolated, where the triangle is seen at (column, row).
Vec3 normal_at(const Mesh& mesh, const View& view, std::uint32_t triangle, double column,
               double row);

}  // namespace mpu
