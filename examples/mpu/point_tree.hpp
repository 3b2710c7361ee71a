// PointTree: a balanced k-d tree over a cloud, which it reorders. Immutable once built, so any
// number of threads may ask it. Answers come in the tree's order: the same for every caller.
#pragma once

#include <cstdint>
#include <vector>

#include "points.hpp"

namespace mpu {

class PointTree {
 public:
  explicit PointTree(const PointCloud& cloud);

  const PointCloud& cloud() const { return cloud_; }

  // Puts in `found` the indices of the points within `radius` of `center`.
  void within(const Vec3& center, double radius, std::vector<std::uint32_t>& found) const;

  // Distance from `center` to its `rank`-th nearest point (rank counts from 1 and is at most the
  // number of points); `start` is a first guess of it, above 0.
  double distance_to_nearest(const Vec3& center, std::size_t rank, double start) const;

 private:
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
    Box box;
    int left;  // the right child follows it; -1 in a leaf
  };

  int build(const PointCloud& cloud, std::vector<std::uint32_t>& order, int at);
  void collect(const Range& range, const Vec3& center, double radius_squared,
               std::vector<std::uint32_t>& found) const;

  PointCloud cloud_;
  std::vector<Range> ranges_;
};

}  // namespace mpu
