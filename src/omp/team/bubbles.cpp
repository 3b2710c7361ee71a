// Owns: bubbles of teams. See bubbles.hpp.
#include "omp/team/bubbles.hpp"

#include "omp/team/runtime.hpp"
#include "sched/group/holders.hpp"
#include "sched/place/engine.hpp"

namespace xylem::omp {

using sched::Fiber;
using sched::Holder;
using sched::HolderKind;

namespace {

Holder* keeper_of(const Team& team) { return team.holder ? team.holder->keeper() : nullptr; }

Holder& make_keeper_of(const Team& team, HolderKind kind, Holder* parent) {
  Holder& holder = sched::make_keeper(kind, parent);
  holder.trace_id.store(team.trace_id, std::memory_order_relaxed);  // before others know of it
  return holder;
}

Holder* holder_for(const Team& team, Holder* outer, const sched::Engine& engine) {
  if (!engine.turns().used() || team.places) return outer;
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
int newcomers(const Team& team) { return team.holder == team.outer_holder ? team.n - 1 : team.n; }

void move_maker(const Team& team, Fiber& maker, Holder* from, Holder* to) {
  if (from == to) return;
  move_to(maker, to);
  sched::count_threads(team.outer_holder, to == team.outer_holder ? 1 : -1);
}

}  // namespace

// In the order in which they were entered, the last first.
struct Entered {
  Entered* before;
  Holder* came_from;
  bool arrives;  // its keeper counts the thread (sched::Turns)
};

void join_bubble(Team& team, Member& maker) {
  sched::Engine& engine = *sched::Engine::instance();
  Holder* outer = maker.fiber->holder;
  team.outer_holder = outer;
  team.holder = holder_for(team, outer, engine);
  if (team.holder)
    team.priority = team.holder->priority.load(std::memory_order_relaxed);  // as in move_to()
  sched::count_threads(team.holder, newcomers(team));
  move_maker(team, *maker.fiber, outer, team.holder);
}

bool launch_kept(Team& team, Member& maker) {
  Holder* keeper = keeper_of(team);
  if (!keeper || team.places) return false;
  sched::Engine& engine = *sched::Engine::instance();
  sched::Worker& worker = *maker.fiber->worker;
  Holder* makers = keeper_of(*maker.team);
  if (makers && makers != keeper && makers->kind == HolderKind::team)
    engine.turns().set_free(*worker.pool, *makers);
  team.arrives = makers != keeper;
  sched::Share& share = engine.hand_to_keeper(team, team.n, worker, team.arrives);
  if (!team.opened_region) team.local_share = &share;
  return true;
}

void leave_bubble(Team& team, Fiber& maker) {
  Holder* own = team.holder;
  sched::count_threads(own, -newcomers(team));
  move_maker(team, maker, own, team.outer_holder);
  if (own && team.arrives)  // only a team with a keeper arrives
    sched::Engine::instance()->turns().leave(*maker.worker->pool, *own->keeper());
  if (own && own != team.outer_holder && own->kind != HolderKind::program) sched::free_holder(*own);
  if (!team.opened_region) sched::scheduling_point(maker);
}

// --- the program's own ---------------------------------------------------------------------------

Holder* bubble_of(const Member& member) {
  Holder* holder = member.fiber->holder;
  while (holder && holder->kind != HolderKind::program) holder = holder->parent;
  return holder;
}

// Bubbles inside are kept with the outermost one: it is the gang.
Holder& make_bubble(const Member& member) {
  Holder* outer = bubble_of(member);
  if (!outer && sched::Engine::instance()->turns().used())
    return sched::make_keeper(HolderKind::program, nullptr);
  return sched::make_holder(HolderKind::program, outer, outer ? outer->keeper() : nullptr);
}

bool end_bubble(Holder& bubble) {
  if (sched::threads_inside(bubble) > 0 || sched::has_bubbles_inside(bubble)) return false;
  sched::free_holder(bubble);
  return true;
}

// A guest's fiber needs no place to wait in but its own kernel thread, and outside of regions there
// is no pool yet.
void enter_bubble(Member& member, Holder& bubble) {
  Fiber& fiber = *member.fiber;
  Holder* from = fiber.holder;
  const bool arrives =
      bubble.keeper() && !fiber.guest && (!from || from->keeper() != bubble.keeper());
  member.entered = new Entered{member.entered, from, arrives};
  sched::count_threads(from, -1);
  sched::count_threads(&bubble, 1);
  if (arrives) sched::Engine::instance()->turns().arrive(*fiber.worker->pool, *bubble.keeper());
  move_to(fiber, &bubble);
  // relaxed: a number
  if (const int64_t load = bubble.load.load(std::memory_order_relaxed)) tell_load(member, load);
  sched::scheduling_point(fiber);
}

bool leave_entered(Member& member) {
  Entered* last = member.entered;
  if (!last) return false;
  Fiber& fiber = *member.fiber;
  Holder& bubble = *fiber.holder;
  sched::count_threads(&bubble, -1);
  sched::count_threads(last->came_from, 1);
  move_to(fiber, last->came_from);
  if (last->arrives)
    sched::Engine::instance()->turns().leave(*fiber.worker->pool, *bubble.keeper());
  member.entered = last->before;
  delete last;
  sched::scheduling_point(fiber);
  return true;
}

}  // namespace xylem::omp
