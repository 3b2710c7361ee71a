// Owns: the producers of placements. See placing.hpp.
#include "sched/place/placing.hpp"

#include <optional>

#include "mem/map/regions.hpp"
#include "sched/place/engine.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

using plan::Onto;
using plan::Placement;
using plan::Why;

int level_of(const Launching& l, int pu) { return l.maker.worker->pool->machine().pu_level(pu); }

// --- members that have PUs -----------------------------------------------------------------------

void pin(Launching& l, int member, int pu) {
  l.made.ranges.push_back({member, member + 1, level_of(l, pu), true});
}

void measure(Bubble& team, ContentionGroup& group) {
  team.times = group.regions.cells();
  team.times_by_member = team.times != nullptr;
  if (!team.times) return;
  ExternalThread& external = group.external;
  external.fiber.time = team.times;
  external.worker.record_fiber(external.fiber.group, team.times);
}

const Placement* by_binding(Launching& l) {
  if (!l.wishes.pu_of) return nullptr;
  l.made.why = l.wishes.by_hints ? Why::hinted : Why::bound;
  if (l.wishes.by_hints && l.team.opened_region) {
    ContentionGroup& group = *l.maker.external->group;
    KnownRegions& regions = group.regions;
    regions.begin_elsewhere(l.maker.worker->pool->samples());
    l.team.known = regions.team();
    measure(l.team, group);
  }
  l.made.ranges.reserve(static_cast<size_t>(l.team.members));
  for (int i = 1; i < l.team.members; ++i) pin(l, i, l.wishes.pu_of(l.team, i));
  return &l.made;
}

// --- teams of one range --------------------------------------------------------------------------

const Placement* all_seeds(Launching& l, Why why, Onto onto, int level) {
  l.made.why = why;
  l.made.onto = onto;
  l.made.whole = {1, l.team.members, level};
  return &l.made;
}

const Placement* by_group(Launching& l) {
  if (!l.team.group || !l.team.group->unit()) return nullptr;
  return all_seeds(l, Why::group, Onto::group, 0);
}

// The nearest level of that kind above the PU, or the PU's own.
int level_to_open_at(const topo::Machine& machine, int pu, std::optional<topo::LevelKind> kind) {
  const auto levels = machine.levels();
  for (int level = machine.pu_level(pu); kind && level >= 0;
       level = levels[static_cast<size_t>(level)].parent)
    if (levels[static_cast<size_t>(level)].stands_for(*kind)) return level;
  return machine.pu_level(pu);
}

// On the maker's PU; where the team's group says at which kind of level it opens, on the level of
// that kind above.
const Placement* locally(Launching& l) {
  const Worker& worker = *l.maker.worker;
  int level = worker.queue().level.load(std::memory_order_relaxed);  // relaxed: written once
  if (l.team.group)
    level = level_to_open_at(worker.pool->machine(), worker.pu,
                             l.team.group->burst_kind.load(std::memory_order_relaxed));
  l.made.burst_level = level;
  return all_seeds(l, Why::local, Onto::levels, level);
}

// Kernel threads of members, which nobody steals, are dealt out to all PUs.
const Placement* everywhere(Launching& l) {
  return all_seeds(l, Why::kernel_threads, Onto::levels, 0);
}

// --- outermost teams -----------------------------------------------------------------------------

// Where nothing says who belongs where, and no kernel thread is tied to a member.
const Placement* by_shortness(Launching& l, ContentionGroup& group, const Engine& engine) {
  const bool may_stay = engine.policy().repeats && group.external.has_slot &&
                        !l.maker.worker->pool->a_thread_each() && !l.wishes.by_hints &&
                        !l.team.spins;
  l.team.is_private =
      may_stay && group.short_regions.begin(l.wishes.function, l.team.members, l.now);
  return l.team.is_private ? all_seeds(l, Why::short_region, Onto::maker, 0) : nullptr;
}

// Whether the maker's kernel thread is to stay on its PU's memory node: loads are told, so each PU
// has its share; or the program has told of memory, most of which is touched when a region runs
// first.
bool stays_home(const ContentionGroup& group) {
  if (group.told.version() != 0) return true;
  return group.regions.runs_first() && mem::regions().count() > 0;
}

// Of which size teams are that members may open, if the region never ran before; 1: none is
// planned for. As with as many members as PUs, where a team hardly gets more than its maker's PU.
int expected_inner(const Launching& l) {
  const bool pus_are_left = l.team.members < l.maker.worker->pool->pu_count();
  return pus_are_left ? l.wishes.inner_threads : 1;
}

// By the tree that is known, loads that are told or measured, and what other program threads have
// open. Null: nothing is known.
const Placement* by_tree(Launching& l, ContentionGroup& group, const Engine& engine) {
  const uint32_t others =
      group.open.begin(l.team.members, group.told.of_team(l.team.members), l.now);
  const bool repeats = engine.policy().repeats;
  if (!repeats && group.told.version() == 0) return nullptr;
  const Placement* placement =
      group.regions.begin(engine, {.function = l.wishes.function,
                                   .n = l.team.members,
                                   .inner = expected_inner(l),
                                   .told = group.told,
                                   .open = group.open,
                                   .others = repeats ? others : 0,
                                   .samples = l.maker.worker->pool->samples()});
  l.team.known = group.regions.team();
  measure(l.team, group);
  if (stays_home(group)) l.maker.worker->pool->keep_home(group.external);
  return placement;
}

const Placement* by_policy(Launching& l, Engine& engine) {
  return engine.for_team(l.team.members, l.made);
}

const Placement* outermost(Launching& l) {
  ContentionGroup& group = *l.maker.external->group;
  Engine& engine = *Engine::instance();
  if (group.told.version() == 0)
    if (const Placement* stays = by_shortness(l, group, engine)) return stays;
  if (const Placement* tree = by_tree(l, group, engine)) return tree;
  return by_policy(l, engine);
}

// Of a nested team of a known tree. Where the program's own bubble says at which level it opens
// that goes.
const Placement* by_known_team(const Launching& l) {
  const Group* group = l.team.group;
  if (!l.team.known || (group && group->kind == GroupKind::program)) return nullptr;
  return l.team.known->placement(l.team.members, l.maker.worker->pu);
}

}  // namespace

const Placement& place(Launching& l) {
  if (const Placement* bound = by_binding(l)) return *bound;
  if (const Placement* group = by_group(l)) return *group;
  if (l.team.opened_region) {
    if (const Placement* shared = outermost(l)) return *shared;
  } else if (const Placement* known = by_known_team(l)) {
    return *known;
  }
  return l.team.solo ? *everywhere(l) : *locally(l);
}

void end_knowing(ContentionGroup& group, uint64_t now) {
  ExternalThread& external = group.external;
  if (external.fiber.time) {
    external.fiber.time = nullptr;
    external.worker.record_fiber(external.fiber.group, nullptr);
  }
  group.regions.end(*Engine::instance(), external.worker.pool->samples(), now);
}

}  // namespace xylem::sched
