// The grid, its band of cells near the points, and the three passes over its layers: values at
// the grid's nodes, vertices on crossed edges, triangles.
#include "polygonise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cube_cases.hpp"

namespace mpu {
namespace {

constexpr int margin = 3;                // cells between the cloud's box and the grid's rim
constexpr std::size_t neighbours = 6;    // the distance to the 6th gives the local spacing
constexpr double smallest_speck = 0.01;  // share of the triangles

struct EdgeVertex {
  std::uint32_t edge;  // (y * nodes_x + x) * 3 + axis: ascending in a layer
  Vec3 position;
  Vec3 normal;
};

// Which vertex of a layer lies on this edge.
std::uint32_t rank_of_edge(const std::vector<EdgeVertex>& layer, std::uint32_t edge) {
  const auto at =
      std::lower_bound(layer.begin(), layer.end(), edge,
                       [](const EdgeVertex& v, std::uint32_t wanted) { return v.edge < wanted; });
  return static_cast<std::uint32_t>(at - layer.begin());
}

class Grid {
 public:
  Grid(const Octree& surface, const PointTree& points, int resolution);

  Mesh march() const;

 private:
  std::size_t node(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * ny_ + y) * nx_ + x;
  }
  std::size_t corner(int x, int y, int z, int i) const {
    return node(x + (i & 1), y + (i >> 1 & 1), z + (i >> 2 & 1));
  }
  std::uint32_t edge_name(int x, int y, int axis) const {
    return static_cast<std::uint32_t>((y * nx_ + x) * 3 + axis);
  }
  Vec3 place(int x, int y, int z) const {
    return origin_ +
           Vec3{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)} * step_;
  }
  bool in_band(int x, int y, int z) const {
    return x >= 0 && y >= 0 && z >= 0 && band_[node(x, y, z)] != 0;
  }

  void mark_band(const PointTree& points);
  void mark_ball(const Vec3& center, double radius);
  void fill_values();
  void trim_band();
  bool touches_band(int x, int y, int z) const;
  bool edge_in_band(int x, int y, int z, int axis) const;
  void add_vertices_at(int x, int y, int z, std::vector<EdgeVertex>& layer) const;
  std::vector<EdgeVertex> vertices_of_layer(int z) const;
  std::uint8_t inside_corners(int x, int y, int z) const;

  using Layers = std::vector<std::vector<EdgeVertex>>;
  using Triangles = std::vector<std::array<std::uint32_t, 3>>;
  Triangles triangles_of_layer(int z, const Layers& layers,
                               const std::vector<std::uint32_t>& first) const;

  const Octree& surface_;
  Vec3 origin_;
  double step_;
  int nx_, ny_, nz_;                // nodes along each axis; cells are named by their lowest node
  std::vector<std::uint8_t> band_;  // by cell
  std::vector<double> values_;      // by node; NaN away from the band
};

Grid::Grid(const Octree& surface, const PointTree& points, int resolution) : surface_(surface) {
  const Box box = points.cloud().bounds();
  const Vec3 size = box.high - box.low;
  step_ = std::max({size.x, size.y, size.z}) / resolution;
  origin_ = box.low - Vec3{step_, step_, step_} * margin;
  const auto nodes = [&](double side) {
    return static_cast<int>(std::ceil(side / step_)) + 2 * margin + 1;
  };
  nx_ = nodes(size.x);
  ny_ = nodes(size.y);
  nz_ = nodes(size.z);
  mark_band(points);
  fill_values();
  trim_band();
}

void Grid::mark_band(const PointTree& points) {
  const std::vector<Vec3>& positions = points.cloud().positions;
  const auto count = static_cast<std::int64_t>(positions.size());
  std::vector<double> reach(positions.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    const double spacing = points.distance_to_nearest(positions[i], neighbours, step_);
    reach[i] = std::max(spacing, 1.5 * step_);
  }
  band_.assign(node(0, 0, nz_), 0);
  for (std::int64_t i = 0; i < count; ++i) mark_ball(positions[i], reach[i]);
}

void Grid::mark_ball(const Vec3& center, double radius) {
  const Vec3 low = (center - Vec3{radius, radius, radius} - origin_) * (1 / step_);
  const Vec3 high = (center + Vec3{radius, radius, radius} - origin_) * (1 / step_);
  const auto first = [](double at) { return std::max(static_cast<int>(std::floor(at)), 0); };
  const auto last = [](double at, int nodes) { return std::min(static_cast<int>(at), nodes - 2); };
  for (int z = first(low.z); z <= last(high.z, nz_); ++z) {
    for (int y = first(low.y); y <= last(high.y, ny_); ++y) {
      for (int x = first(low.x); x <= last(high.x, nx_); ++x) band_[node(x, y, z)] = 1;
    }
  }
}

bool Grid::touches_band(int x, int y, int z) const {
  for (int i = 0; i < 8; ++i) {
    if (in_band(x - (i & 1), y - (i >> 1 & 1), z - (i >> 2 & 1))) return true;
  }
  return false;
}

void Grid::fill_values() {
  values_.assign(band_.size(), std::numeric_limits<double>::quiet_NaN());
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < nz_; ++z) {
    for (int y = 0; y < ny_; ++y) {
      for (int x = 0; x < nx_; ++x) {
        if (touches_band(x, y, z)) values_[node(x, y, z)] = surface_.value(place(x, y, z));
      }
    }
  }
}

// Takes the cells out of the band that have a corner where no quadric counts.
void Grid::trim_band() {
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < nz_ - 1; ++z) {
    for (int y = 0; y < ny_ - 1; ++y) {
      for (int x = 0; x < nx_ - 1; ++x) {
        std::uint8_t& cell = band_[node(x, y, z)];
        for (int i = 0; cell != 0 && i < 8; ++i) {
          if (std::isnan(values_[corner(x, y, z, i)])) cell = 0;
        }
      }
    }
  }
}

// True if one of the four cells around the edge is in the band.
bool Grid::edge_in_band(int x, int y, int z, int axis) const {
  for (int i = 0; i < 4; ++i) {
    const int u = i & 1, v = i >> 1;
    const int dx = axis == 0 ? 0 : u,
              dy = axis == 1   ? 0
                   : axis == 0 ? u
                               : v,
              dz = axis == 2 ? 0 : v;
    if (in_band(x - dx, y - dy, z - dz)) return true;
  }
  return false;
}

void Grid::add_vertices_at(int x, int y, int z, std::vector<EdgeVertex>& layer) const {
  const double here = values_[node(x, y, z)];
  if (std::isnan(here)) return;
  const std::array<std::array<int, 3>, 3> ends{{{x + 1, y, z}, {x, y + 1, z}, {x, y, z + 1}}};
  for (int axis = 0; axis < 3; ++axis) {
    const auto& [ex, ey, ez] = ends[axis];
    if (ex >= nx_ || ey >= ny_ || ez >= nz_) continue;
    const double there = values_[node(ex, ey, ez)];
    if (std::isnan(there) || (here < 0) == (there < 0) || !edge_in_band(x, y, z, axis)) continue;
    const Vec3 from = place(x, y, z);
    const Vec3 at = from + (place(ex, ey, ez) - from) * (here / (here - there));
    layer.push_back({edge_name(x, y, axis), at, normalised(surface_.gradient(at))});
  }
}

std::vector<EdgeVertex> Grid::vertices_of_layer(int z) const {
  std::vector<EdgeVertex> layer;
  for (int y = 0; y < ny_; ++y) {
    for (int x = 0; x < nx_; ++x) add_vertices_at(x, y, z, layer);
  }
  return layer;
}

std::uint8_t Grid::inside_corners(int x, int y, int z) const {
  int inside = 0;
  for (int i = 0; i < 8; ++i) {
    const double value = values_[corner(x, y, z, i)];
    inside |= (value < 0 ? 1 : 0) << i;
  }
  return static_cast<std::uint8_t>(inside);
}

// first[z]: number of the first vertex of layer z in the whole mesh.
Grid::Triangles Grid::triangles_of_layer(int z, const Layers& layers,
                                         const std::vector<std::uint32_t>& first) const {
  Triangles triangles;
  for (int y = 0; y + 1 < ny_; ++y) {
    for (int x = 0; x + 1 < nx_; ++x) {
      if (!in_band(x, y, z)) continue;
      const CubeCase& found = cube_case(inside_corners(x, y, z));
      const auto vertex = [&](const CubeEdge& edge) {
        const int ez = z + (edge.corner >> 2 & 1);
        const int ey = y + (edge.corner >> 1 & 1), ex = x + (edge.corner & 1);
        return first[ez] + rank_of_edge(layers[ez], edge_name(ex, ey, edge.axis));
      };
      for (int i = 0; i < found.triangle_count; ++i) {
        const auto& [a, b, c] = found.triangles[i];
        triangles.push_back({vertex(a), vertex(b), vertex(c)});
      }
    }
  }
  return triangles;
}

Mesh Grid::march() const {
  Layers layers(nz_);
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < nz_; ++z) layers[z] = vertices_of_layer(z);

  Mesh mesh;
  std::vector<std::uint32_t> first;
  for (const auto& layer : layers) {
    first.push_back(static_cast<std::uint32_t>(mesh.positions.size()));
    for (const EdgeVertex& v : layer) {
      mesh.positions.push_back(v.position);
      mesh.normals.push_back(v.normal);
    }
  }
  std::vector<Triangles> parts(nz_);
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < nz_ - 1; ++z) parts[z] = triangles_of_layer(z, layers, first);
  for (const Triangles& part : parts) {
    mesh.triangles.insert(mesh.triangles.end(), part.begin(), part.end());
  }
  return mesh;
}

}  // namespace

Mesh polygonise(const Octree& surface, const PointTree& points, int resolution) {
  return without_specks(Grid(surface, points, std::max(resolution, 8)).march(), smallest_speck);
}

}  // namespace mpu
