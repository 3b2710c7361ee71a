// Building the k-d tree (median splits of the longest side, small leaves) and asking it.
#include "point_tree.hpp"

#include <algorithm>
#include <numeric>

namespace mpu {
namespace {

constexpr std::uint32_t leaf_size = 8;

double coordinate(const Vec3& p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

int longest_side(const Box& box) {
  const Vec3 size = box.high - box.low;
  if (size.x >= size.y && size.x >= size.z) return 0;
  return size.y >= size.z ? 1 : 2;
}

double distance_squared(const Box& box, const Vec3& p) {
  const Vec3 nearest{std::clamp(p.x, box.low.x, box.high.x), std::clamp(p.y, box.low.y, box.high.y),
                     std::clamp(p.z, box.low.z, box.high.z)};
  return dot(p - nearest, p - nearest);
}

Box bounds_of(const PointCloud& cloud, const std::vector<std::uint32_t>& order, std::uint32_t first,
              std::uint32_t last) {
  PointCloud part;
  for (std::uint32_t i = first; i < last; ++i) part.positions.push_back(cloud.positions[order[i]]);
  return part.bounds();
}

}  // namespace

PointTree::PointTree(const PointCloud& cloud) {
  std::vector<std::uint32_t> order(cloud.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto count = static_cast<std::uint32_t>(order.size());
  ranges_.push_back({0, count, bounds_of(cloud, order, 0, count), -1});
  build(cloud, order, 0);
  for (const std::uint32_t i : order) {
    cloud_.positions.push_back(cloud.positions[i]);
    cloud_.normals.push_back(cloud.normals[i]);
  }
}

int PointTree::build(const PointCloud& cloud, std::vector<std::uint32_t>& order, int at) {
  const Range range = ranges_[at];
  if (range.last - range.first <= leaf_size) return at;
  const int axis = longest_side(range.box);
  const std::uint32_t middle = (range.first + range.last) / 2;
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    const double ca = coordinate(cloud.positions[a], axis);
    const double cb = coordinate(cloud.positions[b], axis);
    return ca != cb ? ca < cb : a < b;
  };
  std::nth_element(order.begin() + range.first, order.begin() + middle, order.begin() + range.last,
                   less);
  const int left = static_cast<int>(ranges_.size());
  ranges_[at].left = left;
  ranges_.push_back({range.first, middle, bounds_of(cloud, order, range.first, middle), -1});
  ranges_.push_back({middle, range.last, bounds_of(cloud, order, middle, range.last), -1});
  build(cloud, order, left);
  return build(cloud, order, left + 1);
}

void PointTree::collect(const Range& range, const Vec3& center, double radius_squared,
                        std::vector<std::uint32_t>& found) const {
  if (distance_squared(range.box, center) > radius_squared) return;
  if (range.left >= 0) {
    collect(ranges_[range.left], center, radius_squared, found);
    collect(ranges_[range.left + 1], center, radius_squared, found);
    return;
  }
  for (std::uint32_t i = range.first; i < range.last; ++i) {
    const Vec3 away = cloud_.positions[i] - center;
    if (dot(away, away) <= radius_squared) found.push_back(i);
  }
}

void PointTree::within(const Vec3& center, double radius, std::vector<std::uint32_t>& found) const {
  found.clear();
  collect(ranges_[0], center, radius * radius, found);
}

double PointTree::distance_to_nearest(const Vec3& center, std::size_t rank, double start) const {
  std::vector<std::uint32_t> found;
  for (double radius = start; found.size() < rank; radius *= 2) within(center, radius, found);
  std::vector<double> distances;
  for (const std::uint32_t i : found) distances.push_back(length(cloud_.positions[i] - center));
  std::nth_element(distances.begin(), distances.begin() + (rank - 1), distances.end());
  return distances[rank - 1];
}

}  // namespace mpu
