// Owns: bubbles of teams. See membership.hpp.
#include "sched/place/membership.hpp"

#include "sched/group/groups.hpp"
#include "sched/place/engine.hpp"

namespace xylem::sched {

namespace {

Group* unit_of(const Bubble& team) { return team.group ? team.group->unit() : nullptr; }

// A unit if teams take turns.
Group& make_group_of(const Bubble& team, GroupKind kind, Group* parent, const Engine& engine) {
  Group& group = engine.gangs().used() ? make_scheduled_group(kind, parent)
                                       : make_group(kind, parent, nullptr);
  group.trace_id.store(team.trace_id, std::memory_order_relaxed);  // before others know of it
  return group;
}

Group* group_for(const Bubble& team, Group* outer, const Engine& engine) {
  if (!engine.counts_teams() || team.bound) return outer;
  if (!outer) return &make_group_of(team, GroupKind::team, nullptr, engine);
  if (outer->kind == GroupKind::team)
    return &make_group_of(team, GroupKind::inner_team, outer, engine);
  return outer;
}

void move_to(Fiber& fiber, Group* group) {
  fiber.group = group;
  // relaxed: a priority counts from the next time that the fiber is queued
  fiber.priority = group ? group->priority.load(std::memory_order_relaxed) : 0;
  fiber.worker->record_fiber(group, fiber.time);
}

// Threads of a team that come to its bubble, besides the maker if that is there already.
int newcomers(const Bubble& team) {
  return team.group == team.outer_group ? team.members - 1 : team.members;
}

void move_maker(const Bubble& team, Fiber& maker, Group* from, Group* to) {
  if (from == to) return;
  move_to(maker, to);
  count_threads(team.outer_group, to == team.outer_group ? 1 : -1);
}

}  // namespace

// In the order in which they were entered, the last first.
struct Entered {
  Entered* before;
  Group* came_from;
  bool arrives;  // its unit counts the thread (GangScheduler)
};

void join_bubble(Bubble& team, Fiber& maker) {
  Engine& engine = *Engine::instance();
  Group* outer = maker.group;
  team.outer_group = outer;
  team.group = group_for(team, outer, engine);
  if (team.group)
    team.priority = team.group->priority.load(std::memory_order_relaxed);  // as in move_to()
  count_threads(team.group, newcomers(team));
  move_maker(team, maker, outer, team.group);
}

void arrive_at_unit(Bubble& team, const Bubble& makers_team, Pool& pool) {
  GangScheduler& gangs = Engine::instance()->gangs();
  Group* unit = unit_of(team);
  Group* makers = unit_of(makers_team);
  if (makers && makers != unit && makers->kind == GroupKind::team) gangs.set_free(pool, *makers);
  team.arrives = makers != unit;
}

void leave_bubble(Bubble& team, Fiber& maker) {
  Group* own = team.group;
  count_threads(own, -newcomers(team));
  move_maker(team, maker, own, team.outer_group);
  if (own && team.arrives)  // only a team with a unit arrives
    Engine::instance()->gangs().leave(*maker.worker->pool, *own->unit());
  if (own && own != team.outer_group && own->kind != GroupKind::program) free_group(*own);
  if (!team.opened_region) scheduling_point(maker);
}

// --- the program's own ---------------------------------------------------------------------------

Group* group_of(const Thread& thread) { return static_cast<const Fiber&>(thread).group; }

Group* bubble_of(const Thread& thread) {
  Group* group = group_of(thread);
  while (group && group->kind != GroupKind::program) group = group->parent;
  return group;
}

// Bubbles inside are kept with the outermost one: it is the gang.
Group& make_bubble(const Thread& thread) {
  Group* outer = bubble_of(thread);
  if (!outer && Engine::instance()->gangs().used())
    return make_scheduled_group(GroupKind::program, nullptr);
  return make_group(GroupKind::program, outer, outer ? outer->unit() : nullptr);
}

bool end_bubble(Group& bubble) {
  if (threads_inside(bubble) > 0 || has_bubbles_inside(bubble)) return false;
  free_group(bubble);
  return true;
}

// An external thread's fiber needs no place to wait in but its own kernel thread, and outside of
// regions there is no pool yet.
void enter_bubble(Thread& thread, Entered*& entered, Group& bubble) {
  auto& fiber = static_cast<Fiber&>(thread);
  Group* from = fiber.group;
  const bool arrives = bubble.unit() && !fiber.external && (!from || from->unit() != bubble.unit());
  entered = new Entered{entered, from, arrives};
  count_threads(from, -1);
  count_threads(&bubble, 1);
  if (arrives) Engine::instance()->gangs().arrive(*fiber.worker->pool, *bubble.unit());
  move_to(fiber, &bubble);
  scheduling_point(fiber);
}

bool leave_entered(Thread& thread, Entered*& entered) {
  const Entered* last = entered;
  if (!last) return false;
  auto& fiber = static_cast<Fiber&>(thread);
  Group& bubble = *fiber.group;
  count_threads(&bubble, -1);
  count_threads(last->came_from, 1);
  move_to(fiber, last->came_from);
  if (last->arrives) Engine::instance()->gangs().leave(*fiber.worker->pool, *bubble.unit());
  entered = last->before;
  delete last;
  scheduling_point(fiber);
  return true;
}

}  // namespace xylem::sched
