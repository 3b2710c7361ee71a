// Carries a plan out on paper; see the header.
#include "plan/holders.hpp"

#include <algorithm>

namespace xylem::plan {
namespace {

// Where what has no move of its own ends up: with its bubble if that moved, else where it was.
Holding unmoved(const View& view, int index, std::span<const Move* const> fate) {
  const Entity& entity = view.entity(index);
  Holding holding{index, 0, entity.count, entity.level, false};
  if (entity.parent < 0) return holding;
  const Move* parent = fate[static_cast<std::size_t>(entity.parent)];
  if (parent != nullptr) holding.level = parent->burst ? parent->level : -1;
  return holding;
}

}  // namespace

std::vector<Holding> apply(const Plan& plan, const View& view) {
  std::vector<Holding> holdings;
  // The last move of each entity; a closed bubble's move speaks for all that it holds.
  std::vector<const Move*> fate(view.entities.size(), nullptr);
  for (const Move& move : plan.moves()) {
    fate[static_cast<std::size_t>(move.entity)] = &move;
    holdings.push_back({move.entity, move.first, move.count, move.level, move.burst});
  }
  static constexpr Move gathered{-1, 0, 1, -1, false};
  for (int i = 0; i < static_cast<int>(view.entities.size()); ++i) {
    auto at = static_cast<std::size_t>(i);
    if (fate[at] != nullptr) continue;
    Holding holding = unmoved(view, i, fate);
    if (holding.level < 0 && view.entity(i).kind == EntityKind::bubble) fate[at] = &gathered;
    holdings.push_back(holding);
  }
  return holdings;
}

void settle(const Plan& plan, const View& view, std::span<Entity> entities) {
  std::vector<bool> written(entities.size(), false);
  int rank = 0;
  for (const Entity& entity : entities) rank = std::max(rank, entity.held_since);
  for (const Holding& holding : apply(plan, view)) {
    auto at = static_cast<std::size_t>(holding.entity);
    bool cut = written[at] && holding.level >= 0;
    if (holding.level == held_back && entities[at].level != held_back)
      entities[at].held_since = ++rank;
    entities[at].level =
        cut ? common_level(view.levels, entities[at].level, holding.level) : holding.level;
    written[at] = true;
  }
}

}  // namespace xylem::plan
