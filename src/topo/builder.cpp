// Fills one Machine from one hwloc topology: see builder.hpp.
#include "topo/builder.hpp"

namespace xylem::topo {

namespace {

LevelKind kind_of(hwloc_obj_type_t type) {
  if (hwloc_obj_type_is_cache(type) != 0) return LevelKind::cache;
  switch (type) {
    case HWLOC_OBJ_MACHINE:
      return LevelKind::machine;
    case HWLOC_OBJ_PACKAGE:
      return LevelKind::package;
    case HWLOC_OBJ_CORE:
      return LevelKind::core;
    case HWLOC_OBJ_PU:
      return LevelKind::pu;
    case HWLOC_OBJ_NUMANODE:
      return LevelKind::node;
    default:
      return LevelKind::group;
  }
}

Level level_of(hwloc_obj_t object) {
  Level level;
  level.kind = kind_of(object->type);
  if (level.kind == LevelKind::cache) {
    level.cache_depth = static_cast<std::uint8_t>(object->attr->cache.depth);
    level.cache_bytes = object->attr->cache.size;
  }
  if (object->os_index != HWLOC_UNKNOWN_INDEX) level.os_index = static_cast<int>(object->os_index);
  return level;
}

}  // namespace

int Builder::new_draft(const Level& level) {
  drafts_.push_back(Draft{level, {}});
  drafts_.back().level.first_pu = static_cast<int>(machine_.pus_.size());
  return static_cast<int>(drafts_.size()) - 1;
}

void Builder::add_pu(hwloc_obj_t object, int draft) {
  Pu pu;
  pu.os_index = static_cast<int>(object->os_index);
  machine_.pus_.push_back(pu);
  pu_drafts_.push_back(draft);
}

// Writes down a memory bank whose PUs are those of `draft` (-1: none).
void Builder::add_bank(hwloc_obj_t bank, int draft) {
  const auto index = static_cast<std::size_t>(bank->logical_index);
  if (index >= machine_.nodes_.size()) {
    machine_.nodes_.resize(index + 1);
    node_drafts_.resize(index + 1, -1);
  }
  machine_.nodes_[index].os_index = static_cast<int>(bank->os_index);
  machine_.nodes_[index].bytes = bank->attr->numanode.local_memory;
  node_drafts_[index] = draft;
}

// hwloc 2 hangs memory beside the tree, below the object that has the same PUs. Here the first
// bank of an object becomes a level between the object and its children; banks beside it (HBM)
// share that level. Returns the draft that shall hold the object's children.
int Builder::add_memory(hwloc_obj_t object, int below) {
  int level = below;
  const bool has_pus = hwloc_bitmap_iszero(object->cpuset) == 0;
  for (hwloc_obj_t bank = object->memory_first_child; bank != nullptr; bank = bank->next_sibling) {
    hwloc_obj_t found = bank;  // a memory-side cache holds the bank itself
    while (found != nullptr && found->type != HWLOC_OBJ_NUMANODE) found = found->memory_first_child;
    if (found == nullptr) continue;
    const bool local = has_pus && hwloc_bitmap_iszero(found->cpuset) == 0;
    if (local && level == below) {
      level = new_draft(level_of(found));
      drafts_[static_cast<std::size_t>(below)].children.push_back(level);
    }
    add_bank(found, local ? level : -1);
  }
  return level;
}

// Adds the object and all below it as a child of draft `around` (-1: the root); returns its draft.
int Builder::add_object(hwloc_obj_t object, int around) {
  const int draft = new_draft(level_of(object));
  if (around >= 0) drafts_[static_cast<std::size_t>(around)].children.push_back(draft);
  if (object->type == HWLOC_OBJ_PU) {
    add_pu(object, draft);
  } else {
    const int holder = add_memory(object, draft);
    for (hwloc_obj_t child = object->first_child; child != nullptr; child = child->next_sibling) {
      add_object(child, holder);
    }
    for (const int made : {holder, draft}) {
      Level& level = drafts_[static_cast<std::size_t>(made)].level;
      level.pu_count = static_cast<int>(machine_.pus_.size()) - level.first_pu;
    }
  }
  if (object->type == HWLOC_OBJ_PU) drafts_[static_cast<std::size_t>(draft)].level.pu_count = 1;
  return draft;
}

void Builder::place_all() {
  std::vector<int> full_places;
  std::vector<int> places;
  machine_.full_levels_ = flatten(drafts_, full_places);
  machine_.levels_ = collapse(machine_.full_levels_, places);
  const auto full_of = [&](int draft) {
    return draft < 0 ? -1 : full_places[static_cast<std::size_t>(draft)];
  };
  const auto level_of_full = [&](int full) {
    return full < 0 ? -1 : places[static_cast<std::size_t>(full)];
  };
  for (std::size_t pu = 0; pu < machine_.pus_.size(); ++pu) {
    machine_.pus_[pu].full_level = full_of(pu_drafts_[pu]);
    machine_.pus_[pu].level = level_of_full(machine_.pus_[pu].full_level);
  }
  for (std::size_t node = 0; node < machine_.nodes_.size(); ++node) {
    Node& bank = machine_.nodes_[node];
    bank.full_level = full_of(node_drafts_[node]);
    bank.level = level_of_full(bank.full_level);
    if (bank.full_level >= 0) offer_node(static_cast<int>(node));
  }
}

int Builder::pus_of_node(int node) const {
  const int full_level = machine_.node(node).full_level;
  return machine_.full_levels_[static_cast<std::size_t>(full_level)].pu_count;
}

// Makes `node` the node of the PUs below it that have none nearer. Nodes may lie in nodes: the one
// with the fewest PUs is the nearest; of equals the first.
void Builder::offer_node(int node) {
  const int at = machine_.node(node).full_level;
  const Level& level = machine_.full_levels_[static_cast<std::size_t>(at)];
  for (int pu = level.first_pu; pu < level.first_pu + level.pu_count; ++pu) {
    int& nearest = machine_.pus_[static_cast<std::size_t>(pu)].node;
    if (nearest < 0 || level.pu_count < pus_of_node(nearest)) nearest = node;
  }
}

void Builder::read_distances() {
  struct hwloc_distances_s* found = nullptr;
  unsigned count = 1;
  const int error = hwloc_distances_get_by_type(topology_, HWLOC_OBJ_NUMANODE, &count, &found,
                                                HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
  if (error != 0 || count == 0) return;
  const std::size_t nodes = machine_.nodes_.size();
  if (found->nbobjs == nodes) {
    machine_.distances_.assign(nodes * nodes, 0);
    for (unsigned from = 0; from < found->nbobjs; ++from) {
      for (unsigned to = 0; to < found->nbobjs; ++to) {
        const std::size_t row = found->objs[from]->logical_index;
        const std::size_t column = found->objs[to]->logical_index;
        machine_.distances_[row * nodes + column] = found->values[from * found->nbobjs + to];
      }
    }
  }
  hwloc_distances_release(topology_, found);
}

std::uint64_t Builder::attribute(hwloc_memattr_id_t id, hwloc_obj_t from, hwloc_obj_t to) const {
  if (hwloc_bitmap_iszero(from->cpuset) != 0) return 0;
  struct hwloc_location initiator;
  initiator.type = HWLOC_LOCATION_TYPE_CPUSET;
  initiator.location.cpuset = from->cpuset;
  hwloc_uint64_t value = 0;
  return hwloc_memattr_get_value(topology_, id, to, &initiator, 0, &value) == 0 ? value : 0;
}

void Builder::read_attribute(hwloc_memattr_id_t id, std::vector<std::uint64_t>& matrix) {
  const int nodes = machine_.node_count();
  bool known = false;
  for (int from = 0; from < nodes; ++from) {
    for (int to = 0; to < nodes; ++to) {
      const auto object = [&](int node) {
        return hwloc_get_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, static_cast<unsigned>(node));
      };
      matrix.push_back(attribute(id, object(from), object(to)));
      known = known || matrix.back() != 0;
    }
  }
  if (!known) matrix.clear();
}

void Builder::build(const os::CpuSet* allowed, bool drawn) {
  machine_.drawn_ = drawn;
  add_object(hwloc_get_root_obj(topology_), -1);
  place_all();
  if (allowed != nullptr) {
    for (Pu& pu : machine_.pus_) pu.allowed = allowed->has(pu.os_index);
  }
  read_distances();
  read_attribute(HWLOC_MEMATTR_ID_BANDWIDTH, machine_.bandwidths_);
  read_attribute(HWLOC_MEMATTR_ID_LATENCY, machine_.latencies_);
}

}  // namespace xylem::topo
