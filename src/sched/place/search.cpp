// Owns: the search. See search.hpp.
#include "sched/place/search.hpp"

#include <algorithm>

#include "os/clock.hpp"
#include "sched/place/known_team.hpp"

namespace xylem::sched {

Search::Search(const topo::Machine& machine, const plan::StealRule& rule, int64_t patience_ns)
    : machine_(machine), rule_(rule), patience_ns_(patience_ns) {
  const int pus = machine.pu_count();
  tallies_ = std::make_unique<Tally[]>(static_cast<size_t>(pus));
  for (int pu = 0; pu < pus; ++pu) thieves_.push_back(plan::thief_at(machine.levels(), pu));
}

namespace {

// Looks after which an idle worker takes what is farthest away.
constexpr int most_left_to_nearer = 32;

int distance_of(int pu, const topo::Level& level) {
  const int last = level.first_pu + level.pu_count - 1;
  return std::max({level.first_pu - pu, pu - last, 0});
}

// Of a team that nobody has opened yet in this region, so nobody writes what is known of it.
int64_t threads_of(const KnownTeam* team) {
  if (!team) return 1;
  int64_t sum = 0;
  for (int member = 0; member < team->threads(); ++member) sum += threads_of(team->inner(member));
  return sum;
}

}  // namespace

int64_t load_of(const SeedRange& seeds) {
  const Bubble& bubble = *seeds.bubble;
  int64_t sum = 0;
  for (int index = seeds.lo; index < seeds.hi; ++index) {
    const int member = index % bubble.members;
    const bool began = index >= bubble.members;  // it is called back
    const bool known = bubble.known && !began && member < bubble.known->threads();
    sum += known ? threads_of(bubble.known->inner(member)) : 1;
  }
  return sum;
}

namespace {

struct NobodyIsAsked {
  static constexpr bool asks = false;
};

// Before the worker takes of a queue, or steals there.
struct AskedOfBubbles {
  static constexpr bool asks = true;
  Search::TakeMet take;

  Work operator()(Worker& worker, RunQueue& queue, Order order) const {
    RunQueue::Standing met;
    return queue.meet(worker, order, load_of, met) ? take(worker, queue, met) : Work{};
  }
  Work operator()(Worker& worker, RunQueue& queue, const plan::StealRule& rule) const {
    RunQueue::Standing met;
    return queue.meet(worker, rule, load_of, met) ? take(worker, queue, met) : Work{};
  }
};

}  // namespace

bool Search::leaves_to_nearer(const Worker& worker, const topo::Level& victim) {
  if (worker.left_to_nearer == Worker::leaves_nothing) return false;
  return worker.left_to_nearer < std::min(distance_of(worker.pu, victim) - 1, most_left_to_nearer);
}

template <class Asks>
Work Search::steal_from(Worker& worker, const plan::Victim& victim, plan::Reach reach,
                        [[maybe_unused]] Asks asks) const {
  Pool& pool = *worker.pool;
  const int level = victim.level;
  if (!pool.stealable().has(level)) return {};
  if (reach == plan::Reach::own_node &&
      leaves_to_nearer(worker, machine_.levels()[static_cast<size_t>(level)]))
    return {};
  if (Work work = pool.steal_attached(level, worker)) return work;
  if constexpr (Asks::asks)
    if (Work work = asks(worker, pool.level_queue(level), rule_)) return work;
  const Worker::Steal how{worker.queue(), pool.level_queue(victim.common), rule_,
                          rule_.take == plan::Take::most_loaded ? load_of : nullptr};
  if (Work work = worker.steal_from(pool.level_queue(level), how)) return work;
  pool.retract(worker, level);
  return {};
}

// Which order of victims, where they are drawn.
int Search::draw_for(Worker& worker) const {
  if (rule_.order != plan::VictimOrder::random) return 0;
  return static_cast<int>(worker.draws.next() >> 33);
}

void Search::count_steal(const Worker& worker, const plan::Thief& thief, int common) const {
  int step = 1;
  while (step < most_steps && thief.own_and_above[static_cast<size_t>(step)] != common) ++step;
  Tally& tally = tallies_[static_cast<size_t>(worker.pu)];
  if (worker.extra) {
    tally.of_extras[step - 1].fetch_add(1, std::memory_order_relaxed);
  } else {
    std::atomic<uint64_t>& count = tally.of_worker[step - 1];
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

template <class Asks>
Work Search::steal(Worker& worker, const plan::Thief& thief, plan::Reach reach, Asks asks) const {
  Pool& pool = *worker.pool;
  Work work;
  bool saw_one = false;
  const auto visit = [&](const plan::Victim& victim) {
    saw_one = true;
    work = steal_from(worker, victim, reach, asks);
    if (work) count_steal(worker, thief, victim.common);
    return static_cast<bool>(work);
  };
  plan::visit_victims(machine_.levels(), thief, rule_, reach, draw_for(worker), pool.stealable(),
                      visit);
  if (worker.left_to_nearer != Worker::leaves_nothing && reach == plan::Reach::own_node)
    worker.left_to_nearer = saw_one ? std::min(worker.left_to_nearer + 1, most_left_to_nearer) : 0;
  return work;
}

// True while the worker, who has found nothing near, is not to look farther.
bool Search::leaves_far_ones(Worker& worker, const plan::Thief& thief) const {
  const auto there_is_one = [](const plan::Victim&) { return true; };
  if (!plan::visit_victims(machine_.levels(), thief, rule_, plan::Reach::beyond_own_node, 0,
                           worker.pool->stealable(), there_is_one)) {
    worker.backoff_until = 0;
    return true;
  }
  const int64_t now = os::now_ns();
  if (worker.backoff_until == 0) worker.backoff_until = now + patience_ns_;
  return now < worker.backoff_until;
}

// What is not in the PU's own queue, nor on another memory node.
template <class Asks>
Work Search::find_elsewhere(Worker& worker, const plan::Thief& thief, Asks asks) const {
  Pool& pool = *worker.pool;
  for (const int level : thief.own_and_above) {
    const bool own = level == thief.own_and_above.front();
    if constexpr (Asks::asks)
      if (Work work = own ? Work{} : asks(worker, pool.level_queue(level), Order::fresh_first))
        return work;
    Work work = own ? Work{} : pool.level_queue(level).take(worker, Order::fresh_first);
    if (!work) work = pool.take_attached(level, worker, Order::fresh_first);
    if (work) return work;
  }
  return steal(worker, thief, plan::Reach::own_node, asks);
}

template <class Asks>
Work Search::find_near(Worker& worker, Order order, const plan::Thief& thief, Asks asks) const {
  if (order == Order::elsewhere_first) {
    if (Work work = find_elsewhere(worker, thief, asks)) return work;
    order = Order::fresh_first;
  }
  Pool& pool = *worker.pool;
  for (const int level : thief.own_and_above) {
    if constexpr (Asks::asks)
      if (level != thief.own_and_above.front())
        if (Work work = asks(worker, pool.level_queue(level), order)) return work;
    if (Work work = pool.level_queue(level).take(worker, order)) return work;
    if (Work work = pool.take_attached(level, worker, order)) return work;
    if (level != thief.own_and_above.front() && pool.stealable().has(level))
      pool.retract(worker, level);
  }
  return steal(worker, thief, plan::Reach::own_node, asks);
}

template <class Asks>
Work Search::find_by(Worker& worker, Order order, Asks asks) const {
  const plan::Thief& thief = thieves_[static_cast<size_t>(worker.pu)];
  Work work = find_near(worker, order, thief, asks);
  if (!work) {
    if (leaves_far_ones(worker, thief)) return {};
    work = steal(worker, thief, plan::Reach::beyond_own_node, asks);
  }
  if (work) worker.backoff_until = 0;
  return work;
}

Work Search::find(Worker& worker, Order order) const {
  return find_by(worker, order, NobodyIsAsked{});
}

Work Search::find_asking(Worker& worker, Order order, TakeMet take) const {
  return find_by(worker, order, AskedOfBubbles{take});
}

// What is told may be old: then it is not told any more, or each one that waits in place would look
// for it.
bool Search::anything_to_steal(Worker& worker) const {
  Pool& pool = *worker.pool;
  const plan::Thief& thief = thieves_[static_cast<size_t>(worker.pu)];
  const int own = thief.own_and_above.front();
  const auto waits_at = [&](int level) {
    if (level == own) return pool.attached(level).waits();
    if (!pool.stealable().has(level)) return false;
    if (pool.level_queue(level).count() > 0 || pool.attached(level).waits()) return true;
    pool.retract(worker, level);
    return false;
  };
  for (const int level : thief.own_and_above)
    if (waits_at(level)) return true;
  return plan::visit_victims(machine_.levels(), thief, rule_, plan::Reach::all, 0, pool.stealable(),
                             [&](const plan::Victim& victim) { return waits_at(victim.level); });
}

}  // namespace xylem::sched
