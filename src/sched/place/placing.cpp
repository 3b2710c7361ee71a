// Owns: the producers of placements. See placing.hpp.
#include "sched/place/placing.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "sched/place/engine.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

using plan::Onto;
using plan::Placement;
using plan::Why;

int level_of(const Launching& l, int pu) { return l.maker.worker->pool->machine().pu_level(pu); }

// --- members that have PUs -----------------------------------------------------------------------

// The PU, or where the member's kernel thread serves a worker.
int pu_for_member(const Bubble& team, int member, int pu) {
  const int served = team.on_kept_threads ? pu_of_kept_thread(team, member) : -1;
  return served >= 0 ? served : pu;
}

void pin(Launching& l, int member, int pu) {
  const int level = level_of(l, pu_for_member(l.team, member, pu));
  l.made.ranges.push_back({member, member + 1, level, true});
}

const Placement* by_binding(Launching& l) {
  if (!l.wishes.pu_of) return nullptr;
  l.made.why = l.wishes.by_hints ? Why::hinted : Why::bound;
  l.made.ranges.reserve(static_cast<size_t>(l.team.members));
  for (int i = 1; i < l.team.members; ++i) pin(l, i, l.wishes.pu_of(l.team, i));
  return &l.made;
}

// True if kernel threads of members serve workers, who alone can start them then.
bool serves_workers(const Bubble& team) {
  for (int i = 1; i < team.members; ++i)
    if (pu_of_kept_thread(team, i) >= 0) return true;
  return false;
}

// Those that the machine has a PU for go to that, or where their threads serve a worker; the others
// to all PUs, for anybody.
const Placement* by_kernel_threads(Launching& l) {
  const Bubble& team = l.team;
  if (!team.on_kept_threads || (team.group && !serves_workers(team))) return nullptr;
  Pool& pool = *l.maker.worker->pool;
  const int pus = pool.pu_count(), fitting = std::min(team.members, pus);
  l.made.why = Why::kernel_threads;
  for (int i = 1; i < fitting; ++i) pin(l, i, i);
  const int64_t others = team.members - fitting;
  for (int pu = 0; pu < pus; ++pu) {
    const int lo = fitting + static_cast<int>(others * pu / pus);
    const int hi = fitting + static_cast<int>(others * (pu + 1) / pus);
    if (lo < hi) l.made.ranges.push_back({lo, hi, level_of(l, pu)});
  }
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
    if (levels[static_cast<size_t>(level)].kind == kind) return level;
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

// --- outermost teams -----------------------------------------------------------------------------

const Placement* by_told_loads(Launching& l, ContentionGroup& group, Engine& engine) {
  return group.told.placement(l.team.members, engine);
}

// Where nothing says who belongs where, and no kernel thread is tied to a member.
const Placement* by_shortness(Launching& l, ContentionGroup& group, const Engine& engine) {
  const bool may_stay = engine.policy().repeats && group.external.has_slot &&
                        !l.maker.worker->pool->a_thread_each() && !l.wishes.by_hints &&
                        !l.team.spins;
  l.team.is_private =
      may_stay && group.short_regions.begin(l.wishes.function, l.team.members, l.now);
  return l.team.is_private ? all_seeds(l, Why::short_region, Onto::maker, 0) : nullptr;
}

void measure(Bubble& team, ContentionGroup& group) {
  team.times = group.regions.cells();
  team.times_by_member = team.times != nullptr;
  ExternalThread& external = group.external;
  external.fiber.time = team.times;
  external.worker.note_fiber(external.fiber.group, team.times);
}

uint32_t samples_of(const Launching& l) { return l.maker.worker->pool->samples(); }

const Placement* by_measured_loads(Launching& l, ContentionGroup& group, const Engine& engine) {
  if (!engine.policy().repeats) return nullptr;
  const Placement* measured = group.regions.begin(engine, l.wishes.function, l.team.members,
                                                   l.wishes.inner_threads, samples_of(l));
  measure(l.team, group);
  return measured;
}

const Placement* by_policy(Launching& l, Engine& engine) {
  return engine.for_team(l.team.members, l.made);
}

// What other program threads have open is placed as well. Null: they have nothing.
const Placement* by_others(Launching& l, ContentionGroup& group, const Engine& engine,
                           std::span<const int64_t> loads) {
  const int64_t told = std::accumulate(loads.begin(), loads.end(), int64_t{0});
  if (!group.open.begin(l.team.members, told, l.now) || !engine.policy().repeats) return nullptr;
  return group.open.placement(engine, loads);
}

const Placement* outermost(Launching& l) {
  ContentionGroup& group = *l.maker.external->group;
  Engine& engine = *Engine::instance();
  const std::vector<int64_t> loads = group.told.of_team(l.team.members);
  if (loads.empty())
    if (const Placement* stays = by_shortness(l, group, engine)) return stays;
  if (const Placement* beside = by_others(l, group, engine, loads)) return beside;
  if (const Placement* told = by_told_loads(l, group, engine)) return told;
  if (const Placement* measured = by_measured_loads(l, group, engine)) return measured;
  return by_policy(l, engine);
}

}  // namespace

const Placement& place(Launching& l) {
  if (const Placement* bound = by_binding(l)) return *bound;
  if (const Placement* threads = by_kernel_threads(l)) return *threads;
  if (const Placement* group = by_group(l)) return *group;
  if (l.team.opened_region)
    if (const Placement* shared = outermost(l)) return *shared;
  return *locally(l);
}

void end_measuring(const Bubble& team, ContentionGroup& group) {
  ExternalThread& external = group.external;
  if (!external.fiber.time) return;
  external.fiber.time = nullptr;
  external.worker.note_fiber(external.fiber.group, nullptr);
  group.regions.end(*Engine::instance(), team.inner.load(std::memory_order_relaxed),
                     group.external.worker.pool->samples());
}

}  // namespace xylem::sched
