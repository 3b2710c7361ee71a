// Lists of places, and making them from the machine. Their text is read in places_text.cpp.
#include "omp/env/places.hpp"

#include <algorithm>

#include "topo/machine.hpp"

namespace xylem::omp {
namespace {

// Nearest level above a PU, in the full tree, of one kind; of caches the outermost. -1 if none.
int level_above(const topo::Machine& machine, int pu, topo::LevelKind kind) {
  auto levels = machine.full_levels();
  int found = -1;
  for (int i = machine.pus()[static_cast<std::size_t>(pu)].full_level; i >= 0;
       i = levels[static_cast<std::size_t>(i)].parent) {
    if (levels[static_cast<std::size_t>(i)].kind != kind) continue;
    found = i;
    if (kind != topo::LevelKind::cache) break;
  }
  return found;
}

// PUs with equal keys share a place.
int place_key(const topo::Machine& machine, PlaceUnit unit, int pu) {
  int key = -1;
  switch (unit) {
    case PlaceUnit::threads:
      return pu;
    case PlaceUnit::cores:
      key = level_above(machine, pu, topo::LevelKind::core);
      return key >= 0 ? key : -2 - pu;  // no cores known: each PU is one
    case PlaceUnit::ll_caches:
      key = level_above(machine, pu, topo::LevelKind::cache);
      return key >= 0 ? key : level_above(machine, pu, topo::LevelKind::package);
    case PlaceUnit::sockets:
      return level_above(machine, pu, topo::LevelKind::package);
    case PlaceUnit::numa_domains:
      return machine.pu_node(pu);
  }
  return key;
}

}  // namespace

std::span<const int> PlaceList::place(int index) const {
  std::size_t i = static_cast<std::size_t>(index);
  std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : processors_.size();
  return {processors_.data() + starts_[i], end - starts_[i]};
}

void PlaceList::add(std::span<const int> processors) {
  if (processors.empty()) return;
  std::size_t start = processors_.size();
  processors_.insert(processors_.end(), processors.begin(), processors.end());
  auto first = processors_.begin() + static_cast<std::ptrdiff_t>(start);
  std::sort(first, processors_.end());
  processors_.erase(std::unique(first, processors_.end()), processors_.end());
  starts_.push_back(start);
}

bool PlaceList::remove(std::span<const int> processors) {
  PlaceList wanted;
  wanted.add(processors);
  if (wanted.size() == 0) return false;
  std::span<const int> gone = wanted.place(0);
  for (int i = size() - 1; i >= 0; --i) {
    std::span<const int> here = place(i);
    if (!std::equal(here.begin(), here.end(), gone.begin(), gone.end())) continue;
    auto first =
        processors_.begin() + static_cast<std::ptrdiff_t>(starts_[static_cast<std::size_t>(i)]);
    processors_.erase(first, first + static_cast<std::ptrdiff_t>(gone.size()));
    starts_.erase(starts_.begin() + i);
    for (std::size_t j = static_cast<std::size_t>(i); j < starts_.size(); ++j)
      starts_[j] -= gone.size();
    return true;
  }
  return false;
}

PlaceList places_of_machine(const topo::Machine& machine, PlaceUnit unit, int at_most) {
  std::vector<int> keys(static_cast<std::size_t>(machine.pu_count()));
  for (int pu = 0; pu < machine.pu_count(); ++pu)
    keys[static_cast<std::size_t>(pu)] = place_key(machine, unit, pu);
  std::vector<int> order = keys;  // distinct keys in the order of their first PU
  std::size_t distinct = 0;
  for (int key : keys)
    if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(distinct), key) ==
        order.begin() + static_cast<std::ptrdiff_t>(distinct))
      order[distinct++] = key;
  PlaceList places;
  for (std::size_t i = 0; i < distinct && places.size() < at_most; ++i) {
    std::vector<int> members;
    for (int pu = 0; pu < machine.pu_count(); ++pu)
      if (keys[static_cast<std::size_t>(pu)] == order[i]) members.push_back(pu);
    places.add(members);
  }
  return places;
}

PlaceList resolve_places(const PlaceList& by_os_index, const topo::Machine& machine) {
  PlaceList resolved;
  std::vector<int> pus;
  for (int i = 0; i < by_os_index.size(); ++i) {
    pus.clear();
    for (int number : by_os_index.place(i)) {
      int pu = machine.pu_of_os_index(number);
      if (pu >= 0) pus.push_back(pu);
    }
    resolved.add(pus);
  }
  return resolved;
}

void os_indices_of(const topo::Machine& machine, std::span<const int> pus,
                   std::vector<int>& os_indices) {
  os_indices.clear();
  for (int pu : pus) os_indices.push_back(machine.pu_os_index(pu));
  std::sort(os_indices.begin(), os_indices.end());
}

}  // namespace xylem::omp
