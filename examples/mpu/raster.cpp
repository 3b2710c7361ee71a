// Projection, barycentric coordinates, and the filling of the depth buffer.
#include "raster.hpp"

#include <algorithm>
#include <cmath>

namespace mpu {
namespace {

constexpr int band_rows = 64;

// Barycentric coordinates in the plane of the picture; all three at least 0 inside the triangle.
struct Flat {
  Vec3 a, b, c;
  double area;

  Flat(const Vec3& first, const Vec3& second, const Vec3& third)
      : a(first),
        b(second),
        c(third),
        area((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)) {}

  Vec3 weights(double x, double y) const {
    const double v = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / area;
    const double w = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / area;
    return {1 - v - w, v, w};
  }
};

void fill(Raster& raster, const Flat& flat, std::uint32_t triangle, int first_row, int last_row) {
  const auto [left, right] = std::minmax({flat.a.x, flat.b.x, flat.c.x});
  const auto [top, bottom] = std::minmax({flat.a.y, flat.b.y, flat.c.y});
  if (bottom < first_row || top > last_row || flat.area == 0) return;
  const int size = raster.view.size;
  const int x0 = std::max(static_cast<int>(left), 0),
            x1 = std::min(static_cast<int>(right), size - 1);
  const int y0 = std::max(static_cast<int>(top), first_row);
  const int y1 = std::min(static_cast<int>(bottom), last_row - 1);
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const Vec3 w = flat.weights(x + 0.5, y + 0.5);
      if (w.x < 0 || w.y < 0 || w.z < 0) continue;
      const auto near = static_cast<float>(w.x * flat.a.z + w.y * flat.b.z + w.z * flat.c.z);
      const std::size_t at = raster.at(x, y);
      if (near <= raster.nearness[at]) continue;
      raster.nearness[at] = near;
      raster.triangles[at] = triangle;
    }
  }
}

}  // namespace

View View::from(const Vec3& center, const Vec3& toward, double extent, int size) {
  const Vec3 forward = normalised(toward);
  const Vec3 right = normalised(cross({0, 1, 0}, forward));
  return {center, right, cross(forward, right), forward, extent, size};
}

Vec3 View::project(const Vec3& p) const {
  const Vec3 away = p - center;
  const double half = size / 2.0, scale = half / extent;
  return {half + dot(away, right) * scale, half - dot(away, up) * scale, dot(away, toward)};
}

Vec3 View::place(double column, double row, double nearness) const {
  const double half = size / 2.0, scale = extent / half;
  return center + right * ((column - half) * scale) + up * ((half - row) * scale) +
         toward * nearness;
}

Raster rasterise(const Mesh& mesh, const View& view) {
  const std::size_t samples = static_cast<std::size_t>(view.size) * view.size;
  Raster raster{view, std::vector<float>(samples, -std::numeric_limits<float>::infinity()),
                std::vector<std::uint32_t>(samples, no_triangle)};
  std::vector<Vec3> projected;
  projected.reserve(mesh.positions.size());
  for (const Vec3& p : mesh.positions) projected.push_back(view.project(p));
#pragma omp parallel for schedule(dynamic)
  for (int row = 0; row < view.size; row += band_rows) {
    for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
      const auto& [a, b, c] = mesh.triangles[i];
      fill(raster, {projected[a], projected[b], projected[c]}, i, row,
           std::min(row + band_rows, view.size));
    }
  }
  return raster;
}

Vec3 normal_at(const Mesh& mesh, const View& view, std::uint32_t triangle, double column,
               double row) {
  const auto& [a, b, c] = mesh.triangles[triangle];
  const Flat flat(view.project(mesh.positions[a]), view.project(mesh.positions[b]),
                  view.project(mesh.positions[c]));
  const Vec3 w = flat.weights(column, row);
  return normalised(mesh.normals[a] * w.x + mesh.normals[b] * w.y + mesh.normals[c] * w.z);
}

}  // namespace mpu
