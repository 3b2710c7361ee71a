// Owns: the search. See search.hpp.
#include "sched/place/search.hpp"

#include <algorithm>
#include <span>

#include "os/clock.hpp"

namespace xylem::sched {

Search::Search(const topo::Machine& machine, const plan::StealRule& rule, int64_t patience_ns)
    : machine_(machine), patience_ns_(patience_ns) {
  plan::Random random(1);
  routes_.resize(static_cast<size_t>(machine.pu_count()));
  tallies_ = std::make_unique<Tally[]>(routes_.size());
  for (int pu = 0; pu < machine.pu_count(); ++pu) {
    Route& route = routes_[static_cast<size_t>(pu)];
    for (int level = machine.pu_level(pu); level >= 0;
         level = machine.levels()[static_cast<size_t>(level)].parent)
      route.own_and_above.push_back(level);
    plan::victim_order(machine.levels(), pu, rule, random, route.victims);
    route.near = plan::victims_on_node(machine.levels(), pu, rule, route.victims);
  }
}

Work Search::steal_from(Worker& worker, Pool& pool, int level) const {
  if (Work work = pool.steal_attached(level, worker)) return work;
  sched::RunQueue& queue = pool.level_queue(level);
  if (queue.count() == 0) return {};
  const topo::Level& victim = machine_.levels()[static_cast<size_t>(level)];
  // A worker that searches sees its own queue within nanoseconds: leave it what was placed there.
  if (victim.kind == topo::LevelKind::pu &&
      pool.slot(victim.first_pu).state.load(std::memory_order_relaxed) == SlotState::searching)
    return {};
  return worker.steal_from(queue, worker.queue());
}

void Search::count_steal(const Worker& worker, const Route& route, int common) const {
  int step = 1;
  while (step < most_steps && route.own_and_above[static_cast<size_t>(step)] != common) ++step;
  Tally& tally = tallies_[static_cast<size_t>(worker.pu)];
  if (worker.extra) {
    tally.of_extras[step - 1].fetch_add(1, std::memory_order_relaxed);
  } else {
    std::atomic<uint64_t>& count = tally.of_worker[step - 1];
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

Work Search::steal(Worker& worker, const Route& route,
                   std::span<const plan::Victim> victims) const {
  for (const plan::Victim& victim : victims) {
    Work work = steal_from(worker, *worker.pool, victim.level);
    if (!work) continue;
    count_steal(worker, route, victim.common);
    return work;
  }
  return {};
}

namespace {

// A hint.
bool waits_at(Pool& pool, int level) {
  return pool.level_queue(level).count() > 0 || pool.attached(level).waits();
}

}  // namespace

// True while the worker, who has found nothing near, is not to look farther.
bool Search::leaves_far_ones(Worker& worker, const Route& route) const {
  const auto far = std::span(route.victims).subspan(static_cast<size_t>(route.near));
  if (far.empty()) return false;
  const auto waits = [&](const plan::Victim& victim) {
    return waits_at(*worker.pool, victim.level);
  };
  if (std::none_of(far.begin(), far.end(), waits)) {
    worker.patient_until = 0;
    return true;
  }
  const int64_t now = os::now_ns();
  if (worker.patient_until == 0) worker.patient_until = now + patience_ns_;
  return now < worker.patient_until;
}

// What is not in the PU's own queue, nor on another memory node.
Work Search::find_elsewhere(Worker& worker, const Route& route) const {
  Pool& pool = *worker.pool;
  for (const int level : route.own_and_above) {
    const bool own = level == route.own_and_above.front();
    Work work = own ? Work{} : pool.level_queue(level).take(worker, Order::fresh_first);
    if (!work) work = pool.take_attached(level, worker, Order::fresh_first);
    if (work) return work;
  }
  return steal(worker, route, std::span(route.victims).first(static_cast<size_t>(route.near)));
}

Work Search::find_near(Worker& worker, Order order, const Route& route) const {
  if (order == Order::elsewhere_first) {
    if (Work work = find_elsewhere(worker, route)) return work;
    order = Order::fresh_first;
  }
  Pool& pool = *worker.pool;
  for (const int level : route.own_and_above) {
    if (Work work = pool.level_queue(level).take(worker, order)) return work;
    if (Work work = pool.take_attached(level, worker, order)) return work;
  }
  return steal(worker, route, std::span(route.victims).first(static_cast<size_t>(route.near)));
}

Work Search::find(Worker& worker, Order order) const {
  const Route& route = routes_[static_cast<size_t>(worker.pu)];
  Work work = find_near(worker, order, route);
  if (!work) {
    if (leaves_far_ones(worker, route)) return {};
    work = steal(worker, route, std::span(route.victims).subspan(static_cast<size_t>(route.near)));
  }
  if (work) worker.patient_until = 0;
  return work;
}

bool Search::anything_to_steal(Worker& worker) const {
  Pool& pool = *worker.pool;
  const Route& route = routes_[static_cast<size_t>(worker.pu)];
  for (const int level : route.own_and_above) {
    const bool own = level == route.own_and_above.front();
    if (own ? pool.attached(level).waits() : waits_at(pool, level)) return true;
  }
  for (const plan::Victim& victim : route.victims)
    if (waits_at(pool, victim.level)) return true;
  return false;
}

}  // namespace xylem::sched
