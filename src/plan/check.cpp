// The laws of views and plans.
//
// Notation: E entities, T(e) threads inside e, n(e) = count(e), b(e) the bubble e belongs to,
// M moves, m.e, m.n, m.l the entity, number of members and level of a move, A(e) the level below
// which e may run, x <= y: level x is y or lies below it.
#include "plan/check.hpp"

#include <algorithm>
#include <vector>

namespace xylem::plan {
namespace {

int entity_count(const View& view) { return static_cast<int>(view.entities.size()); }

bool is_level(const View& view, int level) {
  return level >= 0 && level < static_cast<int>(view.levels.size());
}

// Structure: tops = {e : b(e) = none} = [0, top_count); for a bubble, {e : b(e) = bubble} is
// [first_child, first_child + child_count) and lies after the bubble. Hence no cycles.
const char* broken_structure(const View& view, int index) {
  const Entity& entity = view.entity(index);
  if ((entity.parent < 0) != (index < view.top_count)) return "tops do not come first";
  if (entity.parent >= index) return "an entity comes before its bubble";
  if (entity.parent >= 0) {
    const Entity& parent = view.entity(entity.parent);
    if (parent.kind != EntityKind::bubble) return "a run holds an entity";
    int place = index - parent.first_child;
    if (place < 0 || place >= parent.child_count) return "an entity is not among its bubble's";
  }
  if (entity.child_count == 0) return nullptr;
  if (entity.kind == EntityKind::run) return "a run holds an entity";
  if (entity.first_child <= index || entity.child_count < 0) return "a bubble holds itself";
  if (entity.first_child + entity.child_count > entity_count(view)) return "children out of range";
  for (int c = entity.first_child; c < entity.first_child + entity.child_count; ++c)
    if (view.entity(c).parent != index) return "a bubble counts an entity that is not its own";
  return nullptr;
}

// Sums: T(run) = n(run) >= 1; T(bubble) = sum of T(e) over b(e) = bubble; n(bubble) = 1;
// narrowed(bubble) = exists e inside, at any depth: A(e) != A(bubble).
const char* broken_sums(const View& view, int index) {
  const Entity& entity = view.entity(index);
  if (entity.load < 0) return "a load is negative";
  if (entity.kind == EntityKind::run) {
    if (entity.count < 1) return "a run without fibers";
    return entity.threads == entity.count ? nullptr : "threads of a run are not its count";
  }
  if (entity.count != 1) return "a bubble is one entity";
  int threads = 0;
  bool narrowed = false;
  for (int c = entity.first_child; c < entity.first_child + entity.child_count; ++c) {
    threads += view.entity(c).threads;
    narrowed |= view.entity(c).narrowed || view.entity(c).allowed != entity.allowed;
  }
  if (threads != entity.threads) return "threads of a bubble are not the sum of what it holds";
  return narrowed == entity.narrowed ? nullptr : "narrowed does not follow from what is inside";
}

// Levels: A(e) is a level and A(e) <= A(b(e)); level(e) is a level or -1; of a top also held_back.
const char* broken_levels(const View& view, int index) {
  const Entity& entity = view.entity(index);
  if (!is_level(view, entity.allowed)) return "allowed is no level of the machine";
  bool top = entity.parent < 0;
  if (entity.level == held_back && !top) return "is held back and is no top";
  if (entity.level != -1 && entity.level != held_back && !is_level(view, entity.level))
    return "lies on no level of the machine";
  if (top) return nullptr;
  bool inside = lies_below(view.levels, entity.allowed, view.entity(entity.parent).allowed);
  return inside ? nullptr : "may run where its bubble may not";
}

// Hints: |bytes| = |E| |nodes|, or none; none is negative; the levels of two nodes are the same or
// apart.
Fault broken_hints(const View& view) {
  const MemoryHints& memory = view.memory;
  for (int level : memory.nodes) {
    if (level == -1) continue;
    if (!is_level(view, level)) return {"a memory node is on no level of the machine"};
    for (int other : memory.nodes)
      if (other != level && other != -1 && lies_below(view.levels, level, other))
        return {"a memory node lies in another"};
  }
  if (memory.bytes.empty()) return {};
  if (memory.nodes.empty() || memory.bytes.size() != view.entities.size() * memory.nodes.size())
    return {"bytes are not given for each entity and node"};
  for (std::size_t i = 0; i < memory.bytes.size(); ++i)
    if (memory.bytes[i] < 0)
      return {"has less than no bytes on a node", static_cast<int>(i / memory.nodes.size())};
  return {};
}

struct Tally {
  std::vector<const Move*> last;  // of each entity; nullptr: none
  std::vector<int> moved;         // sum of m.n over the moves of each entity
};

// Each move is one that can be made: m.e in E, [first, first + n) within [0, n(e)), m.l a level,
// only bubbles burst; only tops are held back, and closed; and what it takes out of a bubble is
// out: b(e) was burst by an earlier move, or e lay outside it already and b(e) has no move that
// gathers it.
const char* broken_move(const View& view, const Move& move, const Tally& tally) {
  if (move.entity < 0 || move.entity >= entity_count(view)) return "moves what is not there";
  const Entity& entity = view.entity(move.entity);
  if (move.level == held_back && entity.parent >= 0) return "holds back what is no top";
  if (move.level == held_back && move.burst) return "holds back what it bursts";
  if (move.level != held_back && !is_level(view, move.level))
    return "moves to no level of the machine";
  if (move.count < 1 || move.first < 0 || move.count > entity.count - move.first)
    return "moves members that a run does not have";
  if (move.burst && entity.kind != EntityKind::bubble) return "bursts what is no bubble";
  if (entity.parent < 0) return nullptr;
  const Move* parent = tally.last[static_cast<std::size_t>(entity.parent)];
  bool out = parent != nullptr ? parent->burst : entity.level >= 0;
  return out ? nullptr : "takes an entity out of a closed bubble";
}

// Nothing twice: for every member i of e, |{m in M : m.e = e, i in m}| <= 1. With moves sorted by
// (entity, first): first(m+1) >= first(m) + n(m) for two moves of one entity.
Fault twice(const Plan& plan) {
  std::vector<int> order(plan.moves().size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  auto move = [&](int i) -> const Move& { return plan.moves()[static_cast<std::size_t>(i)]; };
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    if (move(a).entity != move(b).entity) return move(a).entity < move(b).entity;
    return move(a).first != move(b).first ? move(a).first < move(b).first : a < b;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Move& before = move(order[i - 1]);
    const Move& after = move(order[i]);
    if (before.entity == after.entity && after.first < before.first + before.count)
      return {"is moved twice", after.entity, order[i]};
  }
  return {};
}

// One holder: if e moves and b(e) moves, b(e) bursts, whatever the order of the two.
Fault in_two_holders(const View& view, const Tally& tally) {
  for (int i = 0; i < entity_count(view); ++i) {
    int bubble = view.entity(i).parent;
    if (bubble < 0 || tally.last[static_cast<std::size_t>(i)] == nullptr) continue;
    const Move* fate = tally.last[static_cast<std::size_t>(bubble)];
    if (fate != nullptr && !fate->burst) return {"is moved, and gathered by its bubble", i, -1};
  }
  return {};
}

// Nothing lost: sum of m.n over m.e = e is n(e), or 0; a top's is n(e) if the plan is whole.
Fault lost(const View& view, const Tally& tally, Coverage coverage) {
  for (int i = 0; i < entity_count(view); ++i) {
    int moved = tally.moved[static_cast<std::size_t>(i)];
    if (moved == 0 && (coverage == Coverage::part || i >= view.top_count)) continue;
    if (moved == 0) return {"is not placed", i, -1};
    if (moved != view.entity(i).count) return {"is placed in part: members are lost", i, -1};
  }
  return {};
}

// Nobody starves: if a top with fibers is held back after the plan, another one lies on a queue.
Fault starved(const View& view, const Tally& tally) {
  int held = -1;
  for (int top = 0; top < view.top_count; ++top) {
    if (view.entity(top).threads == 0) continue;
    const Move* fate = tally.last[static_cast<std::size_t>(top)];
    int level = fate != nullptr ? fate->level : view.entity(top).level;
    if (level >= 0) return {};
    if (level == held_back) held = top;
  }
  if (held < 0) return {};
  return {"is held back though nothing else could run", held, -1};
}

// Allowed levels: what lies on the queue of l after the plan has l <= A(e), and a bubble that
// lies there closed has l <= A(e') for every e' inside. `queue[e]` is that l, -1 if unmoved.
// A burst bubble itself holds nothing, so it may open anywhere.
Fault strayed(const Plan& plan, const View& view, const Tally& tally) {
  for (std::size_t m = 0; m < plan.moves().size(); ++m) {
    const Move& move = plan.moves()[m];
    if (move.level == held_back) continue;
    if (!move.burst && !lies_below(view.levels, move.level, view.entity(move.entity).allowed))
      return {"is moved to where it may not run", move.entity, static_cast<int>(m)};
  }
  // Tops before what they hold, so a bubble's queue is known when its entities are looked at.
  std::vector<int> queue(view.entities.size(), -1);
  for (int i = 0; i < entity_count(view); ++i) {
    auto at = static_cast<std::size_t>(i);
    const Entity& entity = view.entity(i);
    if (tally.last[at] != nullptr)
      queue[at] = tally.last[at]->level;
    else if (entity.parent >= 0)
      queue[at] = queue[static_cast<std::size_t>(entity.parent)];
    if (queue[at] < 0 || tally.last[at] != nullptr) continue;
    if (!lies_below(view.levels, queue[at], entity.allowed))
      return {"is left, or carried in its bubble, to where it may not run", i, -1};
  }
  return {};
}

}  // namespace

Fault check(const View& view) {
  if (view.top_count < 0 || view.top_count > entity_count(view)) return {"too many tops"};
  if (!is_level(view, view.scope)) return {"scope is no level of the machine"};
  for (int i = 0; i < entity_count(view); ++i)
    if (const char* what = broken_structure(view, i)) return {what, i};
  for (int i = 0; i < entity_count(view); ++i) {
    if (const char* what = broken_levels(view, i)) return {what, i};
    if (const char* what = broken_sums(view, i)) return {what, i};
  }
  return broken_hints(view);
}

// A fiber is moved at most once and an empty bubble counts as one: sum of n(e) over E.
std::size_t most_moves(const View& view) {
  std::size_t most = 0;
  for (const Entity& entity : view.entities) most += static_cast<std::size_t>(entity.count);
  return most;
}

Fault check(const Plan& plan, const View& view, Coverage coverage) {
  if (plan.exceeded() || plan.moves().size() > most_moves(view))
    return {"makes more moves than there is to move: does it end?"};
  Tally tally;
  tally.last.assign(view.entities.size(), nullptr);
  tally.moved.assign(view.entities.size(), 0);
  for (std::size_t m = 0; m < plan.moves().size(); ++m) {
    const Move& move = plan.moves()[m];
    if (const char* what = broken_move(view, move, tally))
      return {what, move.entity, static_cast<int>(m)};
    tally.last[static_cast<std::size_t>(move.entity)] = &move;
    tally.moved[static_cast<std::size_t>(move.entity)] += move.count;
  }
  if (Fault fault = twice(plan)) return fault;
  if (Fault fault = in_two_holders(view, tally)) return fault;
  if (Fault fault = lost(view, tally, coverage)) return fault;
  if (Fault fault = starved(view, tally)) return fault;
  return strayed(plan, view, tally);
}

}  // namespace xylem::plan
