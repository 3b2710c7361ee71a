// A machine's tree while it is being made: see tree.hpp.
#include "topo/tree.hpp"

namespace xylem::topo {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// How much a kind tells about a set of PUs: of a chain, the level with the most stays. Of two
// alike the upper one stays.
int weight(const Level& level) {
  switch (level.kind) {
    case LevelKind::machine:
      return 7;
    case LevelKind::pu:
      return 6;
    case LevelKind::node:
      return 5;
    case LevelKind::package:
      return 4;
    case LevelKind::core:
      return 3;
    case LevelKind::group:
      return 2;
    case LevelKind::cache:
      return 1;
  }
  return 0;
}

// A chain of levels with one child each: its last, the one that stands for all, and what all are.
struct Chain {
  int last;
  int chosen;
  std::uint16_t kinds;
};

std::uint16_t bits_of(const Level& level) { return bits_of(level.kind, level.cache_depth); }

Chain follow_chain(const std::vector<Level>& full, int head) {
  Chain chain{head, head, bits_of(full[index(head)])};
  while (full[index(chain.last)].child_count == 1) {
    chain.last = full[index(chain.last)].first_child;
    chain.kinds |= bits_of(full[index(chain.last)]);
    if (weight(full[index(chain.last)]) > weight(full[index(chain.chosen)])) {
      chain.chosen = chain.last;
    }
  }
  return chain;
}

void mark_chain(const std::vector<Level>& full, int head, int place, std::vector<int>& places) {
  places[index(head)] = place;
  while (full[index(head)].child_count == 1) {
    head = full[index(head)].first_child;
    places[index(head)] = place;
  }
}

const char* check_children(std::span<const Level> levels, int at) {
  const Level& level = levels[index(at)];
  int next_pu = level.first_pu;
  for (int child = level.first_child; child < level.first_child + level.child_count; ++child) {
    if (child <= at || child >= static_cast<int>(levels.size())) return "child out of order";
    const Level& below = levels[index(child)];
    if (below.parent != at) return "a child names another parent";
    if (below.first_pu != next_pu) return "children leave a gap or overlap";
    next_pu += below.pu_count;
  }
  return next_pu == level.first_pu + level.pu_count ? nullptr : "children do not cover the level";
}

}  // namespace

std::uint16_t bits_of(LevelKind kind, int cache_depth) {
  constexpr int kinds = 8, depths = 8;
  const int depth = cache_depth > 0 && cache_depth <= depths ? 1 << (kinds + cache_depth - 1) : 0;
  return static_cast<std::uint16_t>(1 << static_cast<int>(kind) | depth);
}

bool Level::stands_for(LevelKind wanted, int depth) const {
  if (kind == wanted && (depth == 0 || cache_depth == depth)) return true;
  const std::uint16_t bits = bits_of(wanted, depth);
  return (merged & bits) == bits;
}

std::vector<Level> flatten(const std::vector<Draft>& drafts, std::vector<int>& places) {
  places.assign(drafts.size(), -1);
  std::vector<Level> levels;
  std::vector<int> order;  // order[l] is the draft of level l
  levels.push_back(drafts[0].level);
  order.push_back(0);
  for (std::size_t at = 0; at < order.size(); ++at) {
    places[index(order[at])] = static_cast<int>(at);
    const int first = static_cast<int>(levels.size());
    for (const int child : drafts[index(order[at])].children) {
      if (drafts[index(child)].level.pu_count == 0) continue;
      levels.push_back(drafts[index(child)].level);
      levels.back().parent = static_cast<int>(at);
      order.push_back(child);
    }
    levels[at].child_count = static_cast<int>(levels.size()) - first;
    levels[at].first_child = levels[at].child_count > 0 ? first : -1;
  }
  return levels;
}

std::vector<Level> collapse(const std::vector<Level>& full, std::vector<int>& places) {
  places.assign(full.size(), -1);
  std::vector<Level> levels;
  std::vector<Chain> chains;  // chains[l] is what level l stands for
  const auto append = [&](int head, int parent) {
    chains.push_back(follow_chain(full, head));
    levels.push_back(full[index(chains.back().chosen)]);
    levels.back().parent = parent;
    levels.back().merged = chains.back().kinds;
    mark_chain(full, head, static_cast<int>(levels.size()) - 1, places);
  };
  append(0, -1);
  // A machine of one PU is one chain; it still needs a root and a leaf.
  if (full[index(chains[0].last)].child_count == 0 && full.size() > 1) {
    const int leaf = chains[0].last;
    levels[0].first_child = 1;
    levels[0].child_count = 1;
    levels[0].merged &= static_cast<std::uint16_t>(~bits_of(full[index(leaf)]));
    levels.push_back(full[index(leaf)]);
    levels.back().parent = 0;
    places[index(leaf)] = 1;
    return levels;
  }
  for (std::size_t at = 0; at < levels.size(); ++at) {
    const Level below = full[index(chains[at].last)];
    levels[at].first_child = below.child_count > 0 ? static_cast<int>(levels.size()) : -1;
    levels[at].child_count = below.child_count;
    for (int child = 0; child < below.child_count; ++child) {
      append(below.first_child + child, static_cast<int>(at));
    }
  }
  return levels;
}

const char* check_tree(std::span<const Level> levels, int pu_count) {
  if (levels.empty()) return "no levels";
  if (levels[0].kind != LevelKind::machine || levels[0].parent != -1) return "no machine on top";
  if (levels[0].first_pu != 0 || levels[0].pu_count != pu_count) return "the machine lacks PUs";
  int next_child = 1;
  for (std::size_t at = 0; at < levels.size(); ++at) {
    const Level& level = levels[at];
    if (level.pu_count < 1) return "a level without PUs";
    if ((level.kind == LevelKind::pu) != (level.child_count == 0)) return "leaves are not the PUs";
    if (level.kind == LevelKind::pu && level.pu_count != 1) return "a PU that is several";
    if ((level.cache_depth != 0) != (level.kind == LevelKind::cache)) return "cache depth astray";
    if (level.child_count == 0) continue;
    if (level.first_child != next_child) return "not in breadth-first order";
    next_child += level.child_count;
    if (const char* broken = check_children(levels, static_cast<int>(at))) return broken;
  }
  return next_child == static_cast<int>(levels.size()) ? nullptr : "levels nobody holds";
}

}  // namespace xylem::topo
