// Owns: opening and closing parallel regions. See team.hpp.
#include "omp/team/team.hpp"

#include <algorithm>

#include "omp/env/display.hpp"
#include "omp/env/settings.hpp"
#include "omp/team/binding.hpp"
#include "omp/team/bubbles.hpp"
#include "omp/team/hints.hpp"
#include "omp/team/runtime.hpp"
#include "omp/team/team_memory.hpp"
#include "omp/team/team_size.hpp"
#include "omp/team/tracing.hpp"
#include "os/ticks.hpp"
#include "sched/group/holders.hpp"
#include "sched/live/sampler.hpp"
#include "sched/place/engine.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/member_end.hpp"

namespace xylem::omp {

Member& meet_member() {
  sched::Fiber& met = sched::this_fiber();
  if (!met.user) make_root(met);
  return *static_cast<Member*>(met.user);
}

namespace {

// With room for n values, the old ones and fresh ones.
template <typename Value>
void grow(Value*& values, int before, int n) {
  auto* larger = new Value[static_cast<size_t>(n)]();
  std::copy_n(values, before, larger);
  delete[] values;
  values = larger;
}

// What is kept for the members from region to region.
void keep_members(Team& team, Root& root, sched::Pool& pool) {
  if (root.sticky_pool != &pool) {  // after fork(): the threads that were kept are not here
    if (pool.a_thread_each()) std::fill_n(root.sticky_blocks, root.sticky_count, nullptr);
    root.sticky_pool = &pool;
  }
  if (root.sticky_count < team.n) {
    grow(root.sticky_blocks, root.sticky_count, team.n);
    grow(root.kept_floats, root.sticky_count, team.n);
    if (pool.a_thread_each())
      sched::make_kept_threads(pool, root.sticky_blocks, std::max(root.sticky_count, 1), team.n);
    root.sticky_count = team.n;
  }
  team.kept_floats = root.kept_floats;
  if (pool.own_blocks() || pool.a_thread_each()) team.sticky_blocks = root.sticky_blocks;
  team.on_kept_threads = pool.a_thread_each();
}

// relaxed: a number, and all who write it have departed before it counts
void note_inner(Team& outer, int n) {
  int seen = outer.inner.load(std::memory_order_relaxed);
  while (seen < n && !outer.inner.compare_exchange_weak(seen, n, std::memory_order_relaxed)) {
  }
}

Team& open_team(Member& maker, int n, void (*function)(void*), void* data, ProcBind bind) {
  sched::Worker& worker = *maker.fiber->worker;
  Team& team = make_team(n, worker);
  team.level = maker.team->level + 1;
  team.active_level = maker.team->active_level + (n > 1);
  team.maker = &maker;
  team.root = maker.fiber->root;
  team.function = function;
  team.data = data;
  team.floats = sched::float_control();
  team.body = member_body;
  team.finished = member_finished;
  team.child_icvs = child_icvs(maker.task->icvs, team.level, bind);
  team.works.open(n, worker.pu);
  team.join_word.store(static_cast<uint32_t>(n - 1), std::memory_order_relaxed);  // before sharing
  begin_member(team, team.master, *maker.fiber);
  team.master.place = maker.place;
  if (maker.team->level > 0) team.times = maker.fiber->time;
  if (n > 1 && maker.team->opened_region) note_inner(*maker.team, n);
  if (n > 1) bind_team(team, maker, bind);
  if (maker.hints || maker.domain >= 0) [[unlikely]]
    place_by_hints(team, maker);
  return team;
}

// Of which size teams are that its members may open; 1: it may open none.
int expected_inner(const Team& team) {
  const Icvs& icvs = team.child_icvs;
  return team.active_level < icvs.max_active_levels_var ? static_cast<int>(icvs.nthreads_var) : 1;
}

// By the loads that were measured; null: by nothing.
const sched::Distribution* measured_distribution(Team& team, Root& root, sched::Engine& engine) {
  if (!engine.policy().repeats) return nullptr;
  const sched::Distribution* measured = root.measured.begin(
      engine, team.function, team.n, expected_inner(team), sched::samples_taken());
  team.times = root.measured.cells();
  team.times_by_member = team.times != nullptr;
  root.guest->fiber.time = team.times;
  root.guest->worker.note_fiber(root.guest->fiber.holder, team.times);
  return measured;
}

void end_measuring(const Team& team, Root& root) {
  if (!root.guest->fiber.time) return;
  root.guest->fiber.time = nullptr;
  root.guest->worker.note_fiber(root.guest->fiber.holder, nullptr);
  root.measured.end(*sched::Engine::instance(), team.inner.load(std::memory_order_relaxed),
                    sched::samples_taken());
}

// Where nothing says who belongs where, and no kernel thread is tied to a member.
bool may_stay(const Team& team, const Root& root, const sched::Engine& engine) {
  const sched::Worker& worker = root.guest->worker;
  return engine.policy().repeats && root.guest->seated && !worker.pool->a_thread_each() &&
         !team.begins_by_hints && !team.spins;
}

void launch_outermost(Team& team, Root& root, sched::Engine& engine) {
  sched::Worker& worker = root.guest->worker;
  const sched::Distribution* known = root.loads.distribution(team.n, engine);  // as it was told
  team.stays = !known && may_stay(team, root, engine) &&
               root.short_regions.begin(team.function, team.n, os::read_ticks_early());
  if (team.stays) return engine.keep_at_home(team, team.n, worker);
  if (!known) known = measured_distribution(team, root, engine);
  if (known) {
    engine.distribute(team, *known, worker);
  } else {
    engine.distribute(team, team.n, worker);
  }
}

// Whether the region needs a kernel thread for each thread at once. Not where each has one anyway.
bool begin_spinning(const Team& team, Root& root, sched::Pool& pool) {
  if (team.n <= pool.pu_count() || pool.a_thread_each()) return false;
  const uint32_t reliefs = pool.monitor().reliefs();
  if (!root.spinning_regions.begin(team.function, team.n, reliefs, os::read_ticks_early()))
    return false;
  pool.monitor().expect_spinning(true);
  return true;
}

void end_spinning(const Team& team, Root& root, sched::Pool& pool) {
  if (team.spins) pool.monitor().expect_spinning(false);
  root.spinning_regions.end(pool.monitor().reliefs(), os::read_ticks_early());
}

// True if kernel threads of members serve workers, who alone can start them then.
bool serves_workers(const Team& team) {
  for (int i = 1; i < team.n; ++i)
    if (sched::pu_of_kept_thread(team, i) >= 0) return true;
  return false;
}

// Puts the seeds where idle workers find them.
void launch(Team& team, Member& maker) {
  sched::Fiber& fiber = *maker.fiber;
  sched::Engine& engine = *sched::Engine::instance();
  if (team.places) {
    launch_bound(team, engine, *fiber.worker);
  } else if (team.on_kept_threads && (!team.holder || serves_workers(team))) {
    engine.distribute_on_threads(team, team.n, *fiber.worker);
  } else if (team.holder && launch_kept(team, maker)) {
    return;
  } else if (team.opened_region) {
    launch_outermost(team, root_of(maker), engine);
  } else {
    team.local_share = &engine.push_locally(team, team.n, *fiber.worker);
  }
}

void note_affinity(Team& team, Root& root) {
  team.shows_affinity = !team.opened_region || root.shown_threads != team.n;
  if (team.opened_region) root.shown_threads = team.n;
}

// Under a policy that gives time slices its keeper shows the team.
void make_shown_region(Root& root) {
  if (sched::Engine::instance()->turns().used()) return;
  root.region = &sched::make_holder(sched::HolderKind::team, nullptr, nullptr);
}

void show_region(Root& root, int threads) {
  // relaxed: only a number
  if (root.region) root.region->threads.store(threads, std::memory_order_relaxed);
}

void enter_region(Team& team, Member& maker) {
  sched::Guest* guest = maker.fiber->guest;
  if (!guest || guest->regions > 0) return;
  sched::Pool& pool = live_pool();
  sched::enter_region(*guest);
  team.opened_region = true;
  Root& root = root_of(maker);
  if (!root.region) [[unlikely]]
    make_shown_region(root);
  show_region(root, team.n);
  trace::emit<traced::region_begun>(team, *guest);
  keep_members(team, root, pool);
}

}  // namespace

void tell_load(Member& member, int64_t load) {
  if (member.team->opened_region) root_of(member).loads.tell(member.num, load);
}

void parallel_begin_with(void (*function)(void*), void* data, unsigned wanted, ProcBind bind,
                         void (*prepare)(Team&, void*), void* argument) {
  Member& maker = current_member();
  sched::scheduling_point(*maker.fiber);
  const TeamSize size = take_team_size(maker, wanted);
  const int n = size.threads;
  Team& team = open_team(maker, n, function, data, bind);
  team.stacks_set_aside = size.stacks_set_aside;
  if (prepare) prepare(team, argument);
  trace::emit<traced::team_made>(team, maker);
  maker.fiber->user = &team.master;
  if (n == 1) return;
  enter_region(team, maker);
  if (globals().display_affinity) note_affinity(team, root_of(maker));
  if (maker.fiber->holder || sched::Engine::instance()->turns().used()) [[unlikely]]
    join_bubble(team, maker);
  if (team.opened_region) team.spins = begin_spinning(team, root_of(maker), live_pool());
  launch(team, maker);
  if (team.spins) live_pool().give_extras(n);
  if (team.begins_by_hints) [[unlikely]]
    begin_by_hints(team, team.master);
  if (team.shows_affinity) display_affinity("");
}

void parallel_begin(void (*function)(void*), void* data, unsigned wanted, ProcBind bind) {
  parallel_begin_with(function, data, wanted, bind, nullptr, nullptr);
}

bool parallel_end() {
  Member& master = current_member();
  Team& team = *master.team;
  Member& maker = *team.maker;
  sched::Fiber& fiber = *maker.fiber;
  join(team, master);
  leave_all_entered(master);
  const bool cancelled = team.cancelled.load(std::memory_order_relaxed) != 0;  // all have departed
  team.tasks.close();
  team.works.close();
  give_team_size_back(maker, team);
  trace::emit<traced::team_over>(team, fiber);
  fiber.user = &maker;
  if (team.holder || team.outer_holder) [[unlikely]]
    leave_bubble(team, fiber);
  if (team.opened_region) {
    if (read_runtime_settings().check) fiber.worker->pool->check();
    Root& root = root_of(maker);
    show_region(root, 0);
    end_measuring(team, root);
    root.short_regions.end(os::read_ticks_early());
    end_spinning(team, root, *fiber.worker->pool);
    sched::leave_region(*fiber.guest);
  }
  if (team.hinted.load(std::memory_order_relaxed)) [[unlikely]]  // relaxed: all have departed
    end_by_hints(team, fiber);
  free_team(team, *fiber.worker);
  return cancelled;
}

[[gnu::noinline]] bool parallel(void (*function)(void*), void* data, unsigned wanted,
                                ProcBind bind) {
  sched::program_begins_above();
  parallel_begin(function, data, wanted, bind);
  function(data);
  return parallel_end();
}

}  // namespace xylem::omp
