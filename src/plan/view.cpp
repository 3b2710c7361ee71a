// Writes and reads the entities of a view; see the header.
#include "plan/view.hpp"

#include <algorithm>

namespace xylem::plan {
namespace {

// Of two levels the one that lies below the other; `level` if they are apart (check() says so).
int narrower(Levels levels, int level, int limit) {
  return lies_below(levels, limit, level) ? limit : level;
}

void walk_narrowed(const View& view, int allowed, int bubble, Narrowing& found) {
  const Entity& holder = view.entity(bubble);
  for (int i = holder.first_child; i < holder.first_child + holder.child_count; ++i) {
    const Entity& inner = view.entity(i);
    if (inner.allowed != allowed) {
      int before = found.level;
      found.level = before < 0 ? inner.allowed : common_level(view.levels, before, inner.allowed);
      if (before >= 0 && (before != inner.allowed)) found.deeper = true;
    }
    if (inner.narrowed) walk_narrowed(view, allowed, i, found);
  }
}

// Loads given below a bubble, and the fibers that got none. A bubble inside with a load of its own
// speaks for all that it holds.
struct Told {
  std::int64_t load = 0;
  int silent = 0;
};

void add_told(std::span<const Entity> all, const Entity& bubble, Told& told) {
  for (int i = bubble.first_child; i < bubble.first_child + bubble.child_count; ++i) {
    const Entity& inner = all[static_cast<std::size_t>(i)];
    if (inner.load != 0)
      told.load += total_load(inner);
    else if (inner.kind == EntityKind::run)
      told.silent += inner.count;
    else
      add_told(all, inner, told);
  }
}

void give_load(std::span<Entity> all, const Entity& bubble, std::int64_t each) {
  for (int i = bubble.first_child; i < bubble.first_child + bubble.child_count; ++i) {
    Entity& inner = all[static_cast<std::size_t>(i)];
    if (inner.load != 0) continue;
    if (inner.kind == EntityKind::run)
      inner.load = each;
    else
      give_load(all, inner, each);
  }
}

// A bubble's load is shared by the fibers inside that have none, evenly and at least 1 each.
void share_load(std::span<Entity> all, const Entity& bubble) {
  Told told;
  add_told(all, bubble, told);
  if (told.silent == 0) return;
  give_load(all, bubble, std::max<std::int64_t>(1, (bubble.load - told.load) / told.silent));
}

}  // namespace

Narrowing narrowing(const View& view, int bubble) {
  Narrowing found;
  const Entity& entity = view.entity(bubble);
  if (entity.narrowed) walk_narrowed(view, entity.allowed, bubble, found);
  return found;
}

int Forest::add(int parent, Entity entity) {
  if (count_ >= static_cast<int>(memory_.size()) || parent >= count_) return -1;
  Entity* bubble = parent < 0 ? nullptr : &memory_[static_cast<std::size_t>(parent)];
  if (bubble == nullptr && tops_ != count_) return -1;
  if (bubble != nullptr) {
    if (bubble->kind != EntityKind::bubble) return -1;
    if (bubble->child_count == 0) bubble->first_child = count_;
    if (bubble->first_child + bubble->child_count != count_) return -1;
    ++bubble->child_count;
  } else {
    ++tops_;
  }
  entity.parent = parent;
  entity.first_child = -1;
  entity.child_count = 0;
  if (entity.kind == EntityKind::bubble) entity.count = 1;
  memory_[static_cast<std::size_t>(count_)] = entity;
  return count_++;
}

void Forest::finish(Levels levels) {
  std::span<Entity> all = memory_.first(static_cast<std::size_t>(count_));
  for (Entity& entity : all) {
    bool bubble = entity.kind == EntityKind::bubble;
    entity.threads = bubble ? 0 : entity.count;
    entity.narrowed = false;
    if (bubble && entity.load != 0) share_load(all, entity);
    if (entity.parent >= 0) {
      const Entity& parent = all[static_cast<std::size_t>(entity.parent)];
      entity.allowed = narrower(levels, entity.allowed, parent.allowed);
    }
  }
  for (int i = count_ - 1; i >= 0; --i) {
    Entity& entity = all[static_cast<std::size_t>(i)];
    if (entity.kind == EntityKind::run && entity.load == 0) entity.load = 1;
    bool sum_loads = entity.kind == EntityKind::bubble && entity.load == 0;
    for (int c = entity.first_child; c < entity.first_child + entity.child_count; ++c) {
      const Entity& child = all[static_cast<std::size_t>(c)];
      entity.threads += child.threads;
      if (sum_loads) entity.load += total_load(child);
      entity.narrowed |= child.narrowed || child.allowed != entity.allowed;
    }
  }
}

View Forest::view(Levels levels, int scope) const {
  return {levels, memory_.first(static_cast<std::size_t>(count_)), tops_, scope, {}, {}, {}};
}

View flat_team(Levels levels, std::array<Entity, 2>& memory, int members, int maker_pu) {
  Forest forest(memory);
  Entity team{.kind = EntityKind::bubble, .last_pu = maker_pu};
  forest.add(-1, team);
  forest.add(0, Entity{.count = members, .last_pu = maker_pu});
  forest.finish(levels);
  return forest.view(levels);
}

}  // namespace xylem::plan
