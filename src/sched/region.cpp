// Owns: the life of teams. See region.hpp.
#include "sched/region.hpp"

#include <algorithm>
#include <utility>

#include "base/report.hpp"
#include "os/ticks.hpp"
#include "sched/group/groups.hpp"
#include "sched/live/live.hpp"
#include "sched/place/engine.hpp"
#include "sched/place/membership.hpp"
#include "sched/start.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/tracing.hpp"
#include "sched/worker/unit_queues.hpp"

namespace xylem::sched {

namespace {

Fiber& fiber_of(Thread& thread) { return static_cast<Fiber&>(thread); }

// --- what `xylem top` shows ----------------------------------------------------------------------

// Where teams have groups the team's shows it.
void make_shown(ContentionGroup& group) {
  if (!Engine::instance()->counts_teams())
    group.shown = &make_group(GroupKind::team, nullptr, nullptr);
}

void show(const ContentionGroup& group, int threads) {
  // relaxed: only a number
  if (group.shown) group.shown->threads.store(threads, std::memory_order_relaxed);
}

// --- regions -------------------------------------------------------------------------------------

void open_region(Bubble& team, ExternalThread& external) {
  the_pool();
  record_live_region();
  Pool& pool = enter_region(external);
  team.opened_region = true;
  ContentionGroup& group = *external.group;
  if (!group.shown) [[unlikely]]
    make_shown(group);
  show(group, team.members);
  trace::emit<traced::region_begun>(external.worker, team, external.number);
  keep_members(team, group, pool);
  pool.bring_home(external);
}

// Whether the region needs a kernel thread for each thread at once. Not where each has one anyway.
bool begin_spinning(const Bubble& team, ContentionGroup& group, Pool& pool, void (*function)(void*),
                    uint64_t now) {
  if (team.members <= pool.pu_count() || pool.a_thread_each()) return false;
  const uint32_t reliefs = pool.monitor().reliefs();
  if (!group.spinning_regions.begin(function, team.members, reliefs, now)) return false;
  pool.monitor().expect_spinning(true);
  return true;
}

void end_spinning(const Bubble& team, ContentionGroup& group, Pool& pool, uint64_t now) {
  if (team.spins) pool.monitor().expect_spinning(false);
  group.spinning_regions.end(pool.monitor().reliefs(), now);
}

void close_region(Bubble& team, ExternalThread& external) {
  ContentionGroup& group = *external.group;
  Pool& pool = *external.worker.pool;
  if (team.solo) pool.add_own_threads(-team.members);
  show(group, 0);
  external.fiber.held = false;
  const uint64_t now = os::read_ticks_early();
  end_knowing(group, now);
  group.short_regions.end(now);
  group.open.end(now);
  end_spinning(team, group, pool, now);
  leave_region(external);
  if (pool.poll_users().due(now)) [[unlikely]]
    tell_of_users(pool, now);
}

}  // namespace

bool opens_region(const Thread& maker) {
  const ExternalThread* external = static_cast<const Fiber&>(maker).external;
  return external && external->regions == 0;
}

void open_team(Bubble& team, Thread& maker) {
  Fiber& fiber = fiber_of(maker);
  team.initial = fiber.initial;
  team.floats = float_control();
  team.times = fiber.time;  // a nested team's threads take the time of its maker's member
  if (opens_region(maker)) open_region(team, *fiber.external);
  if (fiber.group || Engine::instance()->counts_teams()) [[unlikely]]
    join_bubble(team, fiber);
}

void launch_team(Bubble& team, Thread& maker, const Launch& wishes) {
  Fiber& fiber = fiber_of(maker);
  Pool& pool = *fiber.worker->pool;
  if (KnownTeam* outer = wishes.outer->known)
    team.known = outer->opened_by(wishes.maker, team.members);
  const uint64_t now = team.opened_region ? os::read_ticks_early() : 0;
  if (team.opened_region)
    team.spins = begin_spinning(team, *fiber.external->group, pool, wishes.function, now);
  Launching launching{team, fiber, wishes, now, {}};
  const plan::Placement& placement = place(launching);
  if (placement.onto == plan::Onto::group) arrive_at_unit(team, *wishes.outer, pool);
  if (team.solo) pool.add_own_threads(team.members);
  launch(team, placement, *fiber.worker);
  if (team.opened_region) fiber.held = team.held;
  if (team.spins) pool.give_extras(team.members);
}

// If the maker's own part took long the others' will too: then all workers may have the seeds.
static void run_private_seeds(Fiber& maker) {
  Worker& worker = *maker.worker;
  if (contention_group(maker).short_regions.overdue(os::read_ticks_early()))
    worker.pool->publish_private(worker.pu);
  else if (!worker.private_queue.empty())
    run_private();
}

void run_own_members(Bubble& team, Thread& maker) {
  Fiber& self = fiber_of(maker);
  if (team.is_private) return run_private_seeds(self);
  // On top of the frames that wait, if each member gets the stack that it was promised.
  if (!team.local_seeds || self.external || self.context.stack->gate) return;
  if (stack_left(self) < self.worker->pool->stacks().promised()) return;
  run_seeds_here(team, *team.local_seeds);
  team.local_seeds = nullptr;
}

void call_back(Bubble& team, SeedRange& seeds, int member, int pu) {
  const bool bound = pu >= 0;
  const int index = member + team.members;
  if (team.solo) return start_solo(team, index, bound ? pu : pu_of_solo(team, member));
  const Fiber* self = current_fiber();  // null: an event fulfilled from outside
  if (!bound) pu = self ? self->worker->pu : 0;
  const bool kept = team.group && team.group->unit() && !bound;
  Pool& pool = *Pool::instance();
  RunQueue& queue = kept ? team.group->unit()->queue : pool.pu_queue(pu);
  seeds.kind = EntityKind::seed_range;
  seeds.bubble = &team;
  seeds.lo = index;
  seeds.hi = index + 1;
  seeds.pinned = bound;
  seeds.priority = team.priority;
  if (self) trace::emit<traced::queued>(*self->worker, seeds, queue);
  if (kept) return push_to_unit(pool, seeds);
  const ExternalThread* initial = team.initial;
  const Concerns whom = queue.push_fresh(seeds);
  pool.wake_for(pu, whom, initial);
}

void close_team(Bubble& team, Thread& maker, bool check_queues) {
  Fiber& fiber = fiber_of(maker);
  if (team.group || team.outer_group) [[unlikely]]
    leave_bubble(team, fiber);
  if (!team.opened_region) return;
  if (check_queues) fiber.worker->pool->check();
  close_region(team, *fiber.external);
}

// The outermost region also needs a stack for the loop of the thread that opens it.
Stacks set_stacks_aside(const Thread& maker, int n) {
  Pool& pool = the_pool();
  StackPool& stacks = pool.stacks();
  if (!stacks.limited()) [[likely]]
    return {n, {}};
  StackPool& loops = pool.loop_stacks();
  const int loop = loops.set_aside(opens_region(maker) ? 1 : 0);
  const int seeds = loop == 1 || !opens_region(maker) ? stacks.set_aside(n - 1) : 0;
  if (seeds < n - 1)
    base::warn_once("memory is limited: a team of %d gets %d of its threads; lower OMP_STACKSIZE",
                    n, seeds + 1);
  return {seeds + 1, {.of_seeds = seeds > 0, .of_makers_loop = loop > 0}};
}

void give_stacks_back(StacksAside set_aside, int threads) {
  if (set_aside.of_seeds) the_pool().stacks().give_back(threads - 1);
  if (set_aside.of_makers_loop) the_pool().loop_stacks().give_back(1);
}

void tell_load(Thread& thread, ThreadPath path, int64_t load) {
  Fiber& fiber = fiber_of(thread);
  contention_group(fiber).told.tell(path, load);
  fiber.worker->pool->record_told_loads();
}

void end_members_data(Thread& external) { end_members_data(contention_group(fiber_of(external))); }

plan::TeamTree known_tree(const Thread& maker, const Launch& wishes, int n) {
  if (opens_region(maker))
    return contention_group(static_cast<const Fiber&>(maker))
        .regions.tree_of(wishes.function, n, wishes.inner_threads);
  KnownTeam* outer = wishes.outer->known;
  KnownTeam* known = outer ? outer->inner(wishes.maker) : nullptr;
  std::vector<KnownTeam*> behind;
  if (known && known->threads() == n) return known->shape(1, behind);
  return {{.n = n}};
}

std::vector<int64_t> take_measured(const Thread& maker, void (*function)(void*), int n,
                                   int64_t at_least_ns) {
  if (!opens_region(maker)) return {};
  KnownRegions& regions = contention_group(static_cast<const Fiber&>(maker)).regions;
  return regions.take_measured(function, n, at_least_ns);
}

plan::TeamTree tree_of(const Bubble& team, const Thread& member) {
  if (team.opened_region)
    return contention_group(static_cast<const Fiber&>(member)).regions.open_tree(team.members);
  return {{.n = team.members}};
}

std::vector<int> planned_pus(int n) {
  const Engine& engine = *Engine::instance();
  if (!engine.policy().repeats) return {};
  std::vector<int> pus(static_cast<size_t>(n), maker_pu);
  const plan::Placement flat = engine.flat(n);
  for (const plan::Range& range : flat.all()) {
    const topo::Level& level = engine.machine().levels()[static_cast<size_t>(range.level)];
    for (int i = range.lo; i < range.hi; ++i)
      pus[static_cast<size_t>(i)] = pu_in_range(level, range, i);
  }
  return pus;
}

}  // namespace xylem::sched
