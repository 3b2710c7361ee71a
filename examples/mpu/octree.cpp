// The recursions over the octree (paper 002, figures 2.11 and 2.12) and the partition of unity.
#include "octree.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>

namespace mpu {

struct Octree::Builder {
  const PointTree& points;
  const BuildOptions& options;

  // Fits the node's quadric; true if the node was split because the fit is not close enough.
  bool approximate_and_split(Node& node, int depth) const {
    const Fit fit = fit_cell(points, node.cell);
    node.quadric = fit.quadric;
    node.scale = fit.scale;
    if (fit.error <= options.max_error || depth >= options.max_depth) return false;
    split(node);
    return true;
  }

  static void split(Node& node) {
    node.children = std::make_unique<Children>();
    const double half = node.cell.half / 2;
    for (int i = 0; i < 8; ++i) {
      const Vec3 shift{i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half};
      (*node.children)[i].cell = {node.cell.center + shift, half};
    }
  }

  void compute_serial(Node& node, int depth) const {
    if (!approximate_and_split(node, depth)) return;
    for (Node& child : *node.children) compute_serial(child, depth + 1);
  }

  // The naive parallel program: one directive, a team for every node that splits, no cut-off.
  void compute_nested(Node& node, int depth) const {
    if (!approximate_and_split(node, depth)) return;
#pragma omp parallel for num_threads(options.threads_per_node)
    for (int i = 0; i < 8; ++i) {
      if (i == 0) node.team = omp_get_num_threads();
      compute_nested((*node.children)[i], depth + 1);
    }
  }

  void compute_tasks(Node& node, int depth) const {
    if (!approximate_and_split(node, depth)) return;
    for (int i = 0; i < 8; ++i) {
#pragma omp task default(none) shared(node) firstprivate(i, depth)
      compute_tasks((*node.children)[i], depth + 1);
    }
#pragma omp taskwait
  }

  void compute(Node& root) const {
    switch (options.recursion) {
      case Recursion::serial:
        compute_serial(root, 0);
        break;
      case Recursion::nested_teams:
        omp_set_dynamic(0);
        omp_set_max_active_levels(options.max_depth + 1);
        compute_nested(root, 0);
        break;
      case Recursion::tasks:
#pragma omp parallel
#pragma omp single
      {
        compute_tasks(root, 0);
        root.team = omp_get_num_threads();
      } break;
    }
  }
};

Octree::Octree(const PointTree& points, const BuildOptions& options)
    : tasks_(options.recursion == Recursion::tasks) {
  const Box box = points.cloud().bounds();
  const Vec3 size = box.high - box.low;
  root_.cell = {(box.low + box.high) * 0.5, std::max({size.x, size.y, size.z}) * 0.55};
  Builder{points, options}.compute(root_);
}

BuildCounts Octree::counts() const {
  BuildCounts counts;
  count(root_, 0, counts);
  if (tasks_) counts.tasks = counts.nodes - 1;
  return counts;
}

void Octree::count(const Node& node, int depth, BuildCounts& counts) {
  ++counts.nodes;
  counts.threads += static_cast<std::uint64_t>(node.team);
  counts.depth = std::max(counts.depth, depth);
  if (!node.children) {
    ++counts.leaves;
    return;
  }
  for (const Node& child : *node.children) count(child, depth + 1, counts);
}

// A child's ball lies inside its parent's, so a ball that misses x ends the search below it.
template <class Visit>
void Octree::visit_leaves(const Node& node, const Vec3& x, Visit&& visit) {
  const Vec3 away = x - node.cell.center;
  const double radius = node.cell.support();
  const double squared = dot(away, away);
  if (squared >= radius * radius) return;
  if (node.children) {
    for (const Node& child : *node.children) visit_leaves(child, x, visit);
    return;
  }
  visit(node, away, std::sqrt(squared));
}

double Octree::value(const Vec3& x) const {
  double sum = 0, weights = 0;
  visit_leaves(root_, x, [&](const Node& leaf, const Vec3& away, double distance) {
    const double weight = spline_weight(distance, leaf.cell.support());
    sum += weight * leaf.scale * leaf.quadric.value(away * (1 / leaf.scale));
    weights += weight;
  });
  return weights > 0 ? sum / weights : std::numeric_limits<double>::quiet_NaN();
}

// The weights' own slopes are left out: near the surface they multiply values near 0.
Vec3 Octree::gradient(const Vec3& x) const {
  Vec3 sum;
  double weights = 0;
  visit_leaves(root_, x, [&](const Node& leaf, const Vec3& away, double distance) {
    const double weight = spline_weight(distance, leaf.cell.support());
    sum += leaf.quadric.gradient(away * (1 / leaf.scale)) * weight;
    weights += weight;
  });
  return weights > 0 ? sum * (1 / weights) : sum;
}

}  // namespace mpu
