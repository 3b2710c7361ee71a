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

// Of each logical PU the number of its core; on a machine without cores its own.
std::vector<int> cores_of_pus(const topo::Machine& machine) {
  const auto levels = machine.full_levels();
  std::vector<int> of_pu;
  of_pu.reserve(machine.pus().size());
  int last = -1, count = 0;
  for (const topo::Pu& pu : machine.pus()) {
    int level = pu.full_level;
    while (level >= 0 && levels[static_cast<std::size_t>(level)].kind != LevelKind::core)
      level = levels[static_cast<std::size_t>(level)].parent;
    if (level < 0 || level != last) ++count;
    last = level;
    of_pu.push_back(count - 1);
  }
  return of_pu;
}

// Levels above `first` that hold more than the PUs first .. last, up to the machine; of those that
// hold the same PUs only the first.
std::vector<int> path_up(const topo::Machine& machine, int first, int last) {
  const auto levels = machine.full_levels();
  std::vector<int> path;
  int count = last - first + 1;
  for (int at = machine.pus()[static_cast<std::size_t>(first)].full_level; at >= 0;
       at = levels[static_cast<std::size_t>(at)].parent) {
    const Level& level = levels[static_cast<std::size_t>(at)];
    if (level.pu_count <= count || level.first_pu + level.pu_count <= last) continue;
    count = level.pu_count;
    path.push_back(at);
  }
  return path;
}

// The places of one machine; `parents` has the levels above, not yet the place's own link.
std::vector<Place> places_of(const topo::Machine& machine, int cores) {
  const std::vector<int> core_of = cores_of_pus(machine);
  const int whole = cores == 0 ? machine.pu_count() : (core_of.back() + 1) / cores;
  std::vector<Place> places(static_cast<std::size_t>(whole));
  std::vector<int> first(places.size(), -1), last(places.size(), -1);
  for (int pu = 0; pu < machine.pu_count(); ++pu) {
    const int core = core_of[static_cast<std::size_t>(pu)];
    const auto at = static_cast<std::size_t>(cores == 0 ? pu : core / cores);
    if (at >= places.size()) break;
    Place& place = places[at];
    if (place.cores.empty() || place.cores.back() != core) place.cores.push_back(core);
    place.pus.push_back(machine.pu_os_index(pu));
    if (first[at] < 0) first[at] = pu;
    last[at] = pu;
  }
  for (std::size_t at = 0; at < places.size(); ++at)
    places[at].parents = path_up(machine, first[at], last[at]);
  return places;
}

}  // namespace

Cluster::Cluster(const topo::Machine& drawn, int machines, int cores) : machines_(machines) {
  const std::vector<Place> of_one = places_of(drawn, cores);
  const auto levels = static_cast<int>(drawn.full_levels().size());
  links_ = levels * machines;
  for (int machine = 0; machine < machines; ++machine) {
    for (Place place : of_one) {
      place.machine = machine;
      for (int& link : place.parents) link += machine * levels;
      if (machines == 1 && !place.parents.empty()) place.parents.pop_back();  // the root
      place.parents.insert(place.parents.begin(), links_++);
      places_.push_back(std::move(place));
    }
  }
  if (size() > most_in_table) return;
  std::vector<std::uint8_t> table;
  for (int a = 0; a < size(); ++a)
    for (int b = 0; b < size(); ++b) table.push_back(static_cast<std::uint8_t>(climb(a, b)));
  table_ = std::move(table);
}

std::size_t Cluster::shared_levels(int a, int b) const {
  const std::vector<int>& left = place(a).parents;
  const std::vector<int>& right = place(b).parents;
  std::size_t shared = 0;
  while (shared < left.size() && shared < right.size() &&
         left[left.size() - 1 - shared] == right[right.size() - 1 - shared])
    ++shared;
  return shared;
}

int Cluster::climb(int a, int b) const {
  const std::size_t most = std::max(place(a).parents.size(), place(b).parents.size());
  return a == b ? 0 : static_cast<int>(most - shared_levels(a, b));
}

std::vector<int> Cluster::arities() const {
  if (places_.empty()) return {};
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
