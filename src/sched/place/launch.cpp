// Owns: carrying a placement out. See placing.hpp.
#include "sched/place/engine.hpp"
#include "sched/place/membership.hpp"
#include "sched/place/placing.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"
#include "sched/worker/unit_queues.hpp"

namespace xylem::sched {

namespace {

// Whose workers are told: the maker's PU where the level holds that, else the level's first PU, or
// its neighbour where an external thread sits there that runs nothing of the team.
int near_pu(const topo::Level& level, const plan::Range& range, const Bubble& team,
            const Worker& worker) {
  if (range.pinned) return level.first_pu;
  if (worker.pu >= level.first_pu && worker.pu < level.first_pu + level.pu_count) return worker.pu;
  return worker.pool->served_pu(level.first_pu, team.initial);
}

const topo::Level& level_of(const plan::Range& range, const Worker& worker) {
  return worker.pool->machine().levels()[static_cast<size_t>(range.level)];
}

SeedRange& push(Bubble& team, const plan::Range& range, Worker& worker) {
  Pool& pool = *worker.pool;
  const topo::Level& level = level_of(range, worker);
  const int pu = near_pu(level, range, team, worker);
  const bool moved = level.pu_count == 1 && pu != level.first_pu;  // to the PU's neighbour
  RunQueue& queue = moved ? pool.pu_queue(pu) : pool.level_queue(range.level);
  SeedRange& seeds = team.new_seed_range(range.lo, range.hi);
  seeds.pinned = range.pinned || team.held;
  trace::emit<traced::queued>(worker, seeds, queue);
  if (&queue != &worker.queue() && queue.hand_over(seeds)) return seeds;
  pool.wake_for(pu, queue.push_fresh(seeds), team.initial);
  return seeds;
}

// Starts the kernel threads that the ranges lack. Out of line, as launch() is on every region's
// path.
[[gnu::noinline]] void start_ahead(const Bubble& team, const plan::Placement& placement,
                                   Worker& worker) {
  for (const plan::Range& range : placement.all())
    worker.pool->start_ahead(near_pu(level_of(range, worker), range, team, worker), team.initial);
}

// The range that was pushed last; null: there was none.
SeedRange* push_to_levels(Bubble& team, const plan::Placement& placement, Worker& worker) {
  if (placement.burst_level >= 0) trace::emit<traced::burst>(worker, team, placement.burst_level);
  if (team.opened_region && worker.pool->lacks_workers()) [[unlikely]]
    start_ahead(team, placement, worker);
  SeedRange* last = nullptr;
  for (const plan::Range& range : placement.all()) last = &push(team, range, worker);
  return last;
}

SeedRange& push_to_unit(Bubble& team, const plan::Range& range, Worker& worker) {
  Group& unit = *team.group->unit();
  SeedRange& seeds = team.new_seed_range(range.lo, range.hi);
  trace::emit<traced::queued>(worker, seeds, unit.queue);
  push_to_unit(*worker.pool, seeds);
  if (team.arrives) Engine::instance()->gangs().arrive(*worker.pool, unit);
  return seeds;
}

// Until the monitor polls only `worker` takes them, on which the maker runs. Of an outermost region
// it shares them itself where that takes long (run_own_members).
void keep_private(Bubble& team, const plan::Range& range, Worker& worker) {
  SeedRange& seeds = team.new_seed_range(range.lo, range.hi);
  trace::emit<traced::queued>(worker, seeds, worker.queue());
  worker.private_queue.keep(seeds);
  worker.yielded_in_vain = 0;
  if (!team.opened_region) worker.pool->monitor().record_waiting();
}

void start_members(Bubble& team, const plan::Placement& placement, const Pool& pool) {
  for (const plan::Range& range : placement.all()) {
    const topo::Level& level = pool.machine().levels()[static_cast<size_t>(range.level)];
    for (int i = range.lo; i < range.hi; ++i) start_solo(team, i, pu_in_range(level, range, i));
  }
}

}  // namespace

// A nested team's maker runs its own seeds, so it knows where they are.
void launch(Bubble& team, const plan::Placement& placement, Worker& worker) {
  if (team.solo) return start_members(team, placement, *worker.pool);
  team.held = placement.held && worker.pool->serves_all();
  if (placement.onto == plan::Onto::maker) return keep_private(team, placement.whole, worker);
  SeedRange* seeds = placement.onto == plan::Onto::group
                         ? &push_to_unit(team, placement.whole, worker)
                         : push_to_levels(team, placement, worker);
  const bool whole = placement.why == plan::Why::local || placement.why == plan::Why::group;
  if (whole && !team.opened_region) team.local_seeds = seeds;
}

}  // namespace xylem::sched
