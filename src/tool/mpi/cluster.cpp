// The tree of a cluster, flattened into paths; see cluster.hpp.
#include "tool/mpi/cluster.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace xylem::tool::mpi {

namespace {

using topo::Level;
using topo::LevelKind;

constexpr int most_in_table = 4096;  // places: 16 MiB of distances

// Of each logical PU the level that is its place.
std::vector<int> place_levels(const topo::Machine& machine, bool by_pu) {
  const auto levels = machine.full_levels();
  std::vector<int> of_pu(static_cast<std::size_t>(machine.pu_count()));
  for (int pu = 0; pu < machine.pu_count(); ++pu) {
    int level = machine.pus()[static_cast<std::size_t>(pu)].full_level;
    const int leaf = level;
    while (!by_pu && level >= 0 && levels[static_cast<std::size_t>(level)].kind != LevelKind::core)
      level = levels[static_cast<std::size_t>(level)].parent;
    of_pu[static_cast<std::size_t>(pu)] = level >= 0 ? level : leaf;  // a machine without cores
  }
  return of_pu;
}

// Levels from `level` up to the machine; of those that hold the same PUs only the first.
std::vector<int> path_up(std::span<const Level> levels, int level) {
  std::vector<int> path;
  int count = 0;
  for (; level >= 0; level = levels[static_cast<std::size_t>(level)].parent) {
    const int here = levels[static_cast<std::size_t>(level)].pu_count;
    if (path.empty() || here != count) path.push_back(level);
    count = here;
  }
  return path;
}

}  // namespace

Cluster::Cluster(const topo::Machine& drawn, int machines, bool by_pu) : machines_(machines) {
  const auto levels = drawn.full_levels();
  const std::vector<int> of_pu = place_levels(drawn, by_pu);
  std::vector<Place> of_one;
  int last = -1;
  for (int pu = 0; pu < drawn.pu_count(); ++pu) {
    const int level = of_pu[static_cast<std::size_t>(pu)];
    if (level != last) {
      of_one.push_back({0, {}, static_cast<int>(of_one.size()), path_up(levels, level)});
    }
    of_one.back().pus.push_back(drawn.pu_os_index(pu));
    last = level;
  }
  links_ = static_cast<int>(levels.size()) * machines;
  for (int machine = 0; machine < machines; ++machine) {
    for (Place place : of_one) {
      place.machine = machine;
      for (int& link : place.parents) link += machine * static_cast<int>(levels.size());
      if (machines == 1) place.parents.pop_back();  // no network: the machine is the root
      places_.push_back(std::move(place));
    }
  }
  if (size() > most_in_table) return;
  std::vector<std::uint8_t> table;
  for (int a = 0; a < size(); ++a)
    for (int b = 0; b < size(); ++b) table.push_back(static_cast<std::uint8_t>(climb(a, b)));
  table_ = std::move(table);
}

int Cluster::climb(int a, int b) const {
  if (a == b) return 0;
  const std::vector<int>& left = place(a).parents;
  const std::vector<int>& right = place(b).parents;
  std::size_t shared = 0;
  while (shared < left.size() && shared < right.size() &&
         left[left.size() - 1 - shared] == right[right.size() - 1 - shared])
    ++shared;
  return static_cast<int>(std::max(left.size(), right.size()) - shared);
}

std::vector<int> Cluster::arities() const {
  const std::size_t depth = places_.front().parents.size();
  std::vector<std::map<int, std::set<int>>> children(depth);  // by depth: parent -> its children
  for (const Place& place : places_) {
    if (place.parents.size() != depth) return {};
    for (std::size_t at = 0; at < depth; ++at) {
      const int parent = at + 1 < depth ? place.parents[at + 1] : -1;
      children[depth - 1 - at][parent].insert(place.parents[at]);
    }
  }
  std::vector<int> all;
  for (const std::map<int, std::set<int>>& level : children) {
    const std::size_t first = level.begin()->second.size();
    for (const auto& [parent, below] : level)
      if (below.size() != first) return {};
    if (first > 1) all.push_back(static_cast<int>(first));
  }
  return all;
}

}  // namespace xylem::tool::mpi
