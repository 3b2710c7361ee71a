// The machine as an immutable tree of levels: queries and the walk that checks it.
#include "topo/machine.hpp"

#include <algorithm>

#include "topo/tree.hpp"

namespace xylem::topo {

namespace {

bool inside(const Level& level, int pu) {
  return pu >= level.first_pu && pu < level.first_pu + level.pu_count;
}

bool is_leaf_of(std::span<const Level> levels, int at, int pu) {
  if (at < 0 || at >= static_cast<int>(levels.size())) return false;
  const Level& level = levels[static_cast<std::size_t>(at)];
  return level.kind == LevelKind::pu && level.first_pu == pu;
}

bool index_or_none(int index, std::size_t size) {
  return index >= -1 && index < static_cast<int>(size);
}

}  // namespace

const char* kind_name(LevelKind kind) {
  switch (kind) {
    case LevelKind::machine:
      return "machine";
    case LevelKind::package:
      return "package";
    case LevelKind::node:
      return "node";
    case LevelKind::cache:
      return "cache";
    case LevelKind::core:
      return "core";
    case LevelKind::pu:
      return "pu";
    case LevelKind::group:
      return "group";
  }
  return "level";
}

int Machine::pu_of_os_index(int os_index) const {
  for (std::size_t pu = 0; pu < pus_.size(); ++pu) {
    if (pus_[pu].os_index == os_index) return static_cast<int>(pu);
  }
  return -1;
}

int Machine::node_of_os_index(int os_index) const {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].os_index == os_index) return static_cast<int>(node);
  }
  return -1;
}

std::vector<int> Machine::node_levels() const {
  std::vector<int> levels;
  levels.reserve(nodes_.size());
  for (const Node& node : nodes_) levels.push_back(node.level);
  return levels;
}

int Machine::common_level(int pu_a, int pu_b) const {
  int at = pu_level(pu_a);
  while (!inside(levels_[static_cast<std::size_t>(at)], pu_b)) {
    at = levels_[static_cast<std::size_t>(at)].parent;
  }
  return at;
}

const char* Machine::check() const {
  if (const char* broken = check_tree(levels_, pu_count())) return broken;
  if (const char* broken = check_tree(full_levels_, pu_count())) return broken;
  for (const Node& node : nodes_) {
    if (!index_or_none(node.level, levels_.size())) return "a node names no level";
    if (!index_or_none(node.full_level, full_levels_.size())) return "a node names no full level";
  }
  for (int pu = 0; pu < pu_count(); ++pu) {
    const Pu& it = pus_[static_cast<std::size_t>(pu)];
    if (!is_leaf_of(levels_, it.level, pu)) return "a PU names a level that is not its leaf";
    if (!is_leaf_of(full_levels_, it.full_level, pu)) return "a PU names a wrong full level";
    if (!index_or_none(it.node, nodes_.size())) return "a PU names a node that is not there";
    if (pu_of_os_index(it.os_index) != pu) return "two PUs share an os index";
    if (it.node < 0) continue;
    const int level = node(it.node).level;
    if (level < 0 || !inside(levels_[static_cast<std::size_t>(level)], pu)) {
      return "a PU lies outside its node";
    }
  }
  const std::size_t pairs = nodes_.size() * nodes_.size();
  for (const auto* matrix : {&distances_, &bandwidths_, &latencies_}) {
    if (!matrix->empty() && matrix->size() != pairs) return "a table of nodes has a wrong size";
  }
  return nullptr;
}

int usable_threads(int allowed, double quota) {
  int usable = std::max(allowed, 1);
  // A quota of 2.0000001 out of rounding is two processors. No ceil(): the library does without
  // libm.
  if (quota > 0 && quota < usable) {
    const int whole = static_cast<int>(quota);
    usable = quota - whole > 1e-6 ? whole + 1 : whole;
  }
  return std::max(usable, 1);
}

}  // namespace xylem::topo
