// Owns: bubbles of teams. See membership.hpp.
#include "sched/place/membership.hpp"

#include "sched/group/holders.hpp"
#include "sched/place/engine.hpp"

namespace xylem::sched {

namespace {

Holder* keeper_of(const Bubble& team) { return team.holder ? team.holder->keeper() : nullptr; }

Holder& make_keeper_of(const Bubble& team, HolderKind kind, Holder* parent) {
  Holder& holder = make_keeper(kind, parent);
  holder.trace_id.store(team.trace_id, std::memory_order_relaxed);  // before others know of it
  return holder;
}

Holder* holder_for(const Bubble& team, Holder* outer, const Engine& engine) {
  if (!engine.turns().used() || team.bound) return outer;
  if (!outer) return &make_keeper_of(team, HolderKind::team, nullptr);
  if (outer->kind == HolderKind::team) return &make_keeper_of(team, HolderKind::inner_team, outer);
  return outer;
}

void move_to(Fiber& fiber, Holder* holder) {
  fiber.holder = holder;
  // relaxed: a priority counts from the next time that the fiber is queued
  fiber.priority = holder ? holder->priority.load(std::memory_order_relaxed) : 0;
  fiber.worker->note_fiber(holder, fiber.time);
}

// Threads of a team that come to its bubble, besides the maker if that is there already.
int newcomers(const Bubble& team) {
  return team.holder == team.outer_holder ? team.members - 1 : team.members;
}

void move_maker(const Bubble& team, Fiber& maker, Holder* from, Holder* to) {
  if (from == to) return;
  move_to(maker, to);
  count_threads(team.outer_holder, to == team.outer_holder ? 1 : -1);
}

}  // namespace

// In the order in which they were entered, the last first.
struct Entered {
  Entered* before;
  Holder* came_from;
  bool arrives;  // its keeper counts the thread (Turns)
};

void join_bubble(Bubble& team, Fiber& maker) {
  Engine& engine = *Engine::instance();
  Holder* outer = maker.holder;
  team.outer_holder = outer;
  team.holder = holder_for(team, outer, engine);
  if (team.holder)
    team.priority = team.holder->priority.load(std::memory_order_relaxed);  // as in move_to()
  count_threads(team.holder, newcomers(team));
  move_maker(team, maker, outer, team.holder);
}

void arrive_at_keeper(Bubble& team, const Bubble& makers_team, Pool& pool) {
  Turns& turns = Engine::instance()->turns();
  Holder* keeper = keeper_of(team);
  Holder* makers = keeper_of(makers_team);
  if (makers && makers != keeper && makers->kind == HolderKind::team) turns.set_free(pool, *makers);
  team.arrives = makers != keeper;
}

void leave_bubble(Bubble& team, Fiber& maker) {
  Holder* own = team.holder;
  count_threads(own, -newcomers(team));
  move_maker(team, maker, own, team.outer_holder);
  if (own && team.arrives)  // only a team with a keeper arrives
    Engine::instance()->turns().leave(*maker.worker->pool, *own->keeper());
  if (own && own != team.outer_holder && own->kind != HolderKind::program) free_holder(*own);
  if (!team.opened_region) scheduling_point(maker);
}

// --- the program's own ---------------------------------------------------------------------------

Holder* holder_of(const Thread& thread) { return static_cast<const Fiber&>(thread).holder; }

Holder* bubble_of(const Thread& thread) {
  Holder* holder = holder_of(thread);
  while (holder && holder->kind != HolderKind::program) holder = holder->parent;
  return holder;
}

// Bubbles inside are kept with the outermost one: it is the gang.
Holder& make_bubble(const Thread& thread) {
  Holder* outer = bubble_of(thread);
  if (!outer && Engine::instance()->turns().used())
    return make_keeper(HolderKind::program, nullptr);
  return make_holder(HolderKind::program, outer, outer ? outer->keeper() : nullptr);
}

bool end_bubble(Holder& bubble) {
  if (threads_inside(bubble) > 0 || has_bubbles_inside(bubble)) return false;
  free_holder(bubble);
  return true;
}

// A guest's fiber needs no place to wait in but its own kernel thread, and outside of regions there
// is no pool yet.
void enter_bubble(Thread& thread, Entered*& entered, Holder& bubble) {
  auto& fiber = static_cast<Fiber&>(thread);
  Holder* from = fiber.holder;
  const bool arrives =
      bubble.keeper() && !fiber.guest && (!from || from->keeper() != bubble.keeper());
  entered = new Entered{entered, from, arrives};
  count_threads(from, -1);
  count_threads(&bubble, 1);
  if (arrives) Engine::instance()->turns().arrive(*fiber.worker->pool, *bubble.keeper());
  move_to(fiber, &bubble);
  scheduling_point(fiber);
}

bool leave_entered(Thread& thread, Entered*& entered) {
  const Entered* last = entered;
  if (!last) return false;
  auto& fiber = static_cast<Fiber&>(thread);
  Holder& bubble = *fiber.holder;
  count_threads(&bubble, -1);
  count_threads(last->came_from, 1);
  move_to(fiber, last->came_from);
  if (last->arrives) Engine::instance()->turns().leave(*fiber.worker->pool, *bubble.keeper());
  entered = last->before;
  delete last;
  scheduling_point(fiber);
  return true;
}

}  // namespace xylem::sched
