// Owns: the search. See search.hpp.
#include "exec/search.hpp"

namespace xylem::exec {

using fiber::Order;
using fiber::Pool;
using fiber::SeatState;
using fiber::Work;
using fiber::Worker;

Search::Search(const topo::Machine& machine, const plan::StealRule& rule) : machine_(machine) {
  plan::Random random(1);
  routes_.resize(static_cast<size_t>(machine.pu_count()));
  for (int pu = 0; pu < machine.pu_count(); ++pu) {
    Route& route = routes_[static_cast<size_t>(pu)];
    for (int level = machine.pu_level(pu); level > 0;) {
      level = machine.levels()[static_cast<size_t>(level)].parent;
      route.above.push_back(level);
    }
    plan::victim_order(machine.levels(), pu, rule, random, route.victims);
  }
}

Work Search::steal_from(Worker& worker, Pool& pool, int level) const {
  fiber::RunQueue& queue = pool.level_queue(level);
  if (queue.count() == 0) return {};
  const topo::Level& victim = machine_.levels()[static_cast<size_t>(level)];
  // A worker that searches sees its own queue within nanoseconds: leave it what was placed there.
  if (victim.kind == topo::LevelKind::pu &&
      pool.seat(victim.first_pu).state.load(std::memory_order_relaxed) == SeatState::searching)
    return {};
  return queue.steal(worker, worker.queue());
}

Work Search::find(Worker& worker, Order order) const {
  Pool& pool = *worker.pool;
  if (Work work = worker.queue().take(worker, order)) return work;
  const Route& route = routes_[static_cast<size_t>(worker.pu)];
  for (const int level : route.above)
    if (Work work = pool.level_queue(level).take(worker, order)) return work;
  for (const plan::Victim& victim : route.victims)
    if (Work work = steal_from(worker, pool, victim.level)) return work;
  return {};
}

bool Search::anything_to_steal(Worker& worker) const {
  Pool& pool = *worker.pool;
  const Route& route = routes_[static_cast<size_t>(worker.pu)];
  for (const int level : route.above)
    if (pool.level_queue(level).count() > 0) return true;
  for (const plan::Victim& victim : route.victims)
    if (pool.level_queue(victim.level).count() > 0) return true;
  return false;
}

}  // namespace xylem::exec
