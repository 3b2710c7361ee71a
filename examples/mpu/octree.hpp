// Octree: the adaptive tree of local quadrics and the blended implicit function they make.
// Built once by one of three recursions that differ only in who runs the children; afterwards
// immutable. Every node depends on its own cell and the cloud alone, so the tree has the same bits
// however it was built.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "fit.hpp"

namespace mpu {

enum class Recursion : std::uint8_t { serial, nested_teams, tasks };

struct BuildOptions {
  Recursion recursion = Recursion::nested_teams;
  int threads_per_node = 4;
  double max_error = 1e-3;  // in the units of the points
  int max_depth = 8;        // the root has depth 0
};

// What one build made. threads = sum over inner nodes of their team's size (each member of a team
// is one implicit task, the one that opens the team included).
struct BuildCounts {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint64_t threads = 0;
  std::uint64_t tasks = 0;
  int depth = 0;
};

class Octree {
 public:
  Octree(const PointTree& points, const BuildOptions& options);

  BuildCounts counts() const;

  // The blended function: below 0 inside, above 0 outside, near the surface about the distance.
  // NaN outside the root's cell, where no quadric counts.
  double value(const Vec3& x) const;
  Vec3 gradient(const Vec3& x) const;

 private:
  struct Node;
  struct Builder;
  using Children = std::array<Node, 8>;
  struct Node {
    Cell cell;
    double scale = 1;
    Quadric quadric;
    std::unique_ptr<Children> children;  // null in a leaf
    int team = 0;                        // threads that ran the children; 0 if no team did
  };

  template <class Visit>
  static void visit_leaves(const Node& node, const Vec3& x, Visit&& visit);
  static void count(const Node& node, int depth, BuildCounts& counts);

  Node root_;
  bool tasks_ = false;
};

}  // namespace mpu
