// Owns: distribution of bubbles. See engine.hpp.
#include "sched/place/engine.hpp"

#include <algorithm>
#include <array>

#include "plan/holders.hpp"
#include "sched/group/decision.hpp"
#include "sched/worker/keeping.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

using base::Locked;

namespace {
// Written once under the runtime's initialisation lock.
constinit std::atomic<Engine*> the_engine{nullptr};
constexpr size_t most_memos = 64;
}  // namespace

Engine* Engine::instance() { return the_engine.load(std::memory_order_acquire); }
void Engine::install(Engine* engine) { the_engine.store(engine, std::memory_order_release); }

Engine::Engine(const topo::Machine& machine, const policy::Policy& policy, plan::Tuning tuning,
               Times times)
    : machine_(machine),
      policy_(policy),
      tuning_(tuning),
      search_(machine, policy.steal, times.patience_ns),
      turns_(machine, policy, tuning, times.slice_ns) {}

namespace {

// Members that have no move of their own are left where the bubble opened.
void add_what_is_left(Distribution& made) {
  std::vector<bool> has_range(static_cast<size_t>(made.n));
  has_range[0] = true;  // member 0 runs already
  for (const Distribution::Range& range : made.ranges)
    for (int i = range.lo; i < range.hi; ++i) has_range[static_cast<size_t>(i)] = true;
  for (int lo = 0; lo < made.n; ++lo) {
    int hi = lo;
    while (hi < made.n && !has_range[static_cast<size_t>(hi)]) ++hi;
    if (lo < hi) made.ranges.push_back({lo, hi, made.burst_level});
    lo = hi;
  }
}

}  // namespace

void Engine::decide(plan::View view, uint64_t seed, plan::Plan& plan) const {
  view.tuning = tuning_;
  plan::Random random(seed);
  decide_place(policy_, view, random, plan);
}

// Top-level teams start at PU 0, wherever their maker runs: member i is then on the same PU region
// after region. `view` is a bubble with one run of n members, or with a run for each of them.
Distribution Engine::distribution_of(plan::View view, int n, uint64_t seed) const {
  const bool apart = view.entities.size() > 2;
  plan::Plan plan;
  decide(view, seed, plan);
  Distribution made;
  made.n = n;
  for (const plan::Move& move : plan.moves()) {
    const bool run = view.entity(move.entity).kind == plan::EntityKind::run;
    if (!run && move.burst) made.burst_level = move.level;
    if (!run && move.burst) continue;  // what it holds follows
    const int first = (run && apart ? move.entity - 1 : 0) + move.first;
    const int lo = std::max(first, 1);  // member 0 runs already
    const int hi = run ? first + move.count : n;
    if (lo < hi) made.ranges.push_back({lo, hi, move.level});
  }
  add_what_is_left(made);
  return made;
}

Distribution Engine::flat_distribution(int n, uint64_t seed) const {
  std::array<plan::Entity, 2> memory;
  return distribution_of(plan::flat_team(machine_.levels(), memory, n, maker_pu), n, seed);
}

const Distribution* Engine::plan_for(int n) {
  base::Locked locked(lock_);
  for (const auto& memo : memos_)
    if (memo->n == n) return memo.get();
  if (memos_.size() == most_memos) return nullptr;
  memos_.push_back(std::make_unique<Distribution>(flat_distribution(n, static_cast<uint64_t>(n))));
  return memos_.back().get();
}

// A run of one for each member; the first is pinned where it runs already.
Distribution Engine::distribution_by_load(std::span<const int64_t> loads) const {
  const int n = static_cast<int>(loads.size());
  std::vector<plan::Entity> memory(loads.size() + 1);
  plan::Forest forest(memory);
  forest.add(-1, {.kind = plan::EntityKind::bubble, .last_pu = maker_pu});
  for (int i = 0; i < n; ++i) {
    plan::Entity member{.load = loads[static_cast<size_t>(i)]};
    if (i == 0) member.allowed = machine_.pu_level(maker_pu);
    forest.add(0, member);
  }
  forest.finish(machine_.levels());
  return distribution_of(forest.view(machine_.levels()), n, static_cast<uint64_t>(n));
}

// Of each member a bubble with its team inside: the lowest level that holds that is the member's.
Distribution Engine::nested(int n, int inner) const {
  std::vector<plan::Entity> entities(1 + 2 * static_cast<size_t>(n));
  plan::Forest forest(entities);
  forest.add(-1, {.kind = plan::EntityKind::bubble, .last_pu = maker_pu});
  for (int i = 0; i < n; ++i)
    forest.add(0, {.kind = plan::EntityKind::bubble, .last_pu = i == 0 ? maker_pu : -1});
  for (int i = 0; i < n; ++i) forest.add(1 + i, {.count = inner});
  forest.finish(machine_.levels());
  const plan::View view = forest.view(machine_.levels());
  plan::Plan plan;
  decide(view, static_cast<uint64_t>(n), plan);
  plan::settle(plan, view, entities);
  Distribution made;
  made.n = n;
  for (int i = 1; i < n; ++i) {  // member 0 runs already
    const int team = entities[static_cast<size_t>(1 + n + i)].level;
    const int member = entities[static_cast<size_t>(1 + i)].level;
    made.ranges.push_back({i, i + 1, std::max(0, team >= 0 ? team : member)});
  }
  return made;
}

void Engine::distribute(Bubble& bubble, int n, Worker& worker) {
  if (!policy_.repeats)
    distribute(bubble, flat_distribution(n, drawn_.fetch_add(1, std::memory_order_relaxed)),
               worker);
  else if (const Distribution* kept = plan_for(n))
    distribute(bubble, *kept, worker);
  else  // a program with very many sizes of team: its teams are spread by stealing
    push_locally(bubble, n, worker);
}

void Engine::distribute(Bubble& bubble, const Distribution& distribution, Worker& worker) {
  Pool& pool = *worker.pool;
  trace::emit<sched::traced::burst>(worker, bubble, distribution.burst_level);
  for (const Distribution::Range& range : distribution.ranges) {
    const topo::Level& level = machine_.levels()[static_cast<size_t>(range.level)];
    const int pu = pool.served_pu(level.first_pu, bubble.root);
    const int queue = level.pu_count == 1 ? machine_.pu_level(pu) : range.level;
    Share& share = bubble.new_share(range.lo, range.hi);
    trace::emit<sched::traced::queued>(worker, share, pool.level_queue(queue));
    pool.level_queue(queue).push_fresh(share);
    pool.wake_for(pu, false, bubble.root);
  }
}

namespace {

// The PU, or where the member's kernel thread serves a worker.
int pu_for_member(const Bubble& bubble, int index, int pu) {
  const int served = bubble.on_kept_threads ? sched::pu_of_kept_thread(bubble, index) : -1;
  return served >= 0 ? served : pu;
}

void push(Bubble& bubble, int lo, int hi, int pu, bool pinned, Worker& worker) {
  Pool& pool = *worker.pool;
  Share& share = bubble.new_share(lo, hi);
  share.pinned = pinned;
  trace::emit<sched::traced::queued>(worker, share, pool.pu_queue(pu));
  pool.pu_queue(pu).push_fresh(share);
  pool.wake_for(pu, pinned, bubble.root);
}

}  // namespace

void Engine::distribute_bound(Bubble& bubble, std::span<const int> pus, Worker& worker) {
  for (int i = 1; i < static_cast<int>(pus.size()); ++i)
    push(bubble, i, i + 1, pu_for_member(bubble, i, pus[static_cast<size_t>(i)]), true, worker);
}

void Engine::distribute_on_threads(Bubble& bubble, int n, Worker& worker) {
  const int pus = worker.pool->pu_count();
  const int fitting = std::min(n, pus);
  for (int i = 1; i < fitting; ++i)
    push(bubble, i, i + 1, pu_for_member(bubble, i, i), true, worker);
  const int64_t others = n - fitting;
  for (int pu = 0; pu < pus; ++pu) {
    const int lo = fitting + static_cast<int>(others * pu / pus);
    const int hi = fitting + static_cast<int>(others * (pu + 1) / pus);
    if (lo < hi) push(bubble, lo, hi, worker.pool->served_pu(pu, bubble.root), false, worker);
  }
}

void Engine::keep_at_home(Bubble& bubble, int n, Worker& worker) {
  Share& share = bubble.new_share(1, n);
  trace::emit<sched::traced::queued>(worker, share, worker.queue());
  worker.home.keep(share);
  worker.yielded_in_vain = 0;
}

Share& Engine::hand_to_keeper(Bubble& bubble, int n, Worker& worker, bool arrives) {
  sched::Holder& keeper = *bubble.holder->keeper();
  Share& share = bubble.new_share(1, n);
  trace::emit<sched::traced::queued>(worker, share, keeper.queue);
  sched::keep(*worker.pool, share);
  if (arrives) turns_.arrive(*worker.pool, keeper);
  return share;
}

namespace {

// The nearest level of that kind above the PU, or the PU's own.
int level_to_open_at(const topo::Machine& machine, int pu, int kind) {
  const auto levels = machine.levels();
  for (int level = machine.pu_level(pu); kind >= 0 && level >= 0;
       level = levels[static_cast<size_t>(level)].parent)
    if (static_cast<int>(levels[static_cast<size_t>(level)].kind) == kind) return level;
  return machine.pu_level(pu);
}

}  // namespace

Share& Engine::push_locally(Bubble& bubble, int n, Worker& worker) const {
  Share& share = bubble.new_share(1, n);
  int level = machine_.pu_level(worker.pu);
  if (bubble.holder)
    level = level_to_open_at(machine_, worker.pu,
                             bubble.holder->burst_kind.load(std::memory_order_relaxed));
  sched::RunQueue& queue = worker.pool->level_queue(level);
  trace::emit<sched::traced::burst>(worker, bubble, level);
  trace::emit<sched::traced::queued>(worker, share, queue);
  queue.push_fresh(share);
  worker.pool->wake_for(worker.pu, false, bubble.root);
  return share;
}

int64_t Engine::longest(const Distribution& distribution, std::span<const int64_t> loads) const {
  std::vector<int64_t> below(static_cast<size_t>(machine_.pu_count()));
  below[maker_pu] = loads[0];
  for (const Distribution::Range& range : distribution.ranges) {
    const topo::Level& level = machine_.levels()[static_cast<size_t>(range.level)];
    int64_t sum = 0;
    for (int i = range.lo; i < range.hi; ++i) sum += loads[static_cast<size_t>(i)];
    for (int pu = level.first_pu; pu < level.first_pu + level.pu_count; ++pu)
      below[static_cast<size_t>(pu)] += sum / level.pu_count;
  }
  return *std::max_element(below.begin(), below.end());
}

}  // namespace xylem::sched
