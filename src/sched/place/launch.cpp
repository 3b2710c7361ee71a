// Owns: carrying a placement out. See placing.hpp.
#include "sched/place/engine.hpp"
#include "sched/place/membership.hpp"
#include "sched/place/placing.hpp"
#include "sched/worker/keeping.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

namespace {

// Whose workers are told: those of the PU, of its neighbour where an external thread sits there
// that runs nothing of the team, or, for a level of several PUs, the first one below or the
// maker's.
int near_pu(const topo::Level& level, const plan::Range& range, const Bubble& team,
            const Worker& worker) {
  if (range.pinned) return level.first_pu;
  const bool makers = worker.pu >= level.first_pu && worker.pu < level.first_pu + level.pu_count;
  return worker.pool->served_pu(makers && level.pu_count > 1 ? worker.pu : level.first_pu,
                                team.root);
}

Share& push(Bubble& team, const plan::Range& range, Worker& worker) {
  Pool& pool = *worker.pool;
  const topo::Level& level = pool.machine().levels()[static_cast<size_t>(range.level)];
  const int pu = near_pu(level, range, team, worker);
  RunQueue& queue = level.pu_count == 1 ? pool.pu_queue(pu) : pool.level_queue(range.level);
  Share& share = team.new_share(range.lo, range.hi);
  share.pinned = range.pinned;
  trace::emit<traced::queued>(worker, share, queue);
  queue.push_fresh(share);
  pool.wake_for(pu, range.pinned, team.root);
  return share;
}

Share& push_to_levels(Bubble& team, const plan::Placement& placement, Worker& worker) {
  if (placement.burst_level >= 0) trace::emit<traced::burst>(worker, team, placement.burst_level);
  Share* last = nullptr;
  for (const plan::Range& range : placement.all()) last = &push(team, range, worker);
  return *last;
}

Share& hand_to_keeper(Bubble& team, const plan::Range& range, Worker& worker) {
  Holder& keeper = *team.holder->keeper();
  Share& share = team.new_share(range.lo, range.hi);
  trace::emit<traced::queued>(worker, share, keeper.queue);
  keep(*worker.pool, share);
  if (team.arrives) Engine::instance()->turns().arrive(*worker.pool, keeper);
  return share;
}

// Until the monitor looks only `worker` takes them, on which the maker runs.
void keep_at_home(Bubble& team, const plan::Range& range, Worker& worker) {
  Share& share = team.new_share(range.lo, range.hi);
  trace::emit<traced::queued>(worker, share, worker.queue());
  worker.home.keep(share);
  worker.yielded_in_vain = 0;
}

}  // namespace

// A nested team's maker runs its own seeds, so it knows where they are.
void launch(Bubble& team, const plan::Placement& placement, Worker& worker) {
  if (placement.onto == plan::Onto::maker) return keep_at_home(team, placement.whole, worker);
  Share& share = placement.onto == plan::Onto::group ? hand_to_keeper(team, placement.whole, worker)
                                                     : push_to_levels(team, placement, worker);
  const bool whole = placement.why == plan::Why::local || placement.why == plan::Why::group;
  if (whole && !team.opened_region) team.local_share = &share;
}

}  // namespace xylem::sched
