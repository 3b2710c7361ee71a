// Walks up and down a tree of levels; see the header.
#include "plan/levels.hpp"

namespace xylem::plan {

bool lies_below(Levels levels, int level, int ancestor) {
  // Levels are in breadth-first order: an ancestor has the lower index.
  while (level > ancestor) level = at(levels, level).parent;
  return level == ancestor;
}

int common_level(Levels levels, int level_a, int level_b) {
  while (level_a != level_b) {
    if (level_a > level_b)
      level_a = at(levels, level_a).parent;
    else
      level_b = at(levels, level_b).parent;
  }
  return level_a;
}

int level_of_pu(Levels levels, int pu) {
  if (levels.empty() || pu < 0 || pu >= levels[0].pu_count) return -1;
  int level = 0;
  while (!is_pu(levels, level)) {
    level = at(levels, level).first_child;
    while (pu >= at(levels, level).first_pu + at(levels, level).pu_count) ++level;
  }
  return level;
}

int child_towards(Levels levels, int ancestor, int level) {
  while (level > ancestor) {
    int parent = at(levels, level).parent;
    if (parent == ancestor) return level;
    level = parent;
  }
  return -1;
}

int cores_below(Levels levels, int level) {
  const topo::Level& top = at(levels, level);
  if (top.stands_for(topo::LevelKind::core) || top.child_count == 0) return 1;
  int cores = 0;
  for (int child = top.first_child; child < top.first_child + top.child_count; ++child)
    cores += cores_below(levels, child);
  return cores;
}

}  // namespace xylem::plan
