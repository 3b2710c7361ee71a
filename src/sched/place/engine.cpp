// Owns: distribution of bubbles. See engine.hpp.
#include "sched/place/engine.hpp"

#include <algorithm>
#include <array>

#include "plan/view.hpp"
#include "sched/group/decision.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/tracing.hpp"
#include "sched/worker/unit_queues.hpp"

namespace xylem::sched {

using base::Locked;

namespace {
// Written once under the runtime's initialisation lock; on a line that nobody writes later.
struct alignas(64) TheEngine {
  std::atomic<Engine*> engine{nullptr};
};
constinit TheEngine the_engine;
constexpr size_t most_kept = 64;
}  // namespace

Engine* Engine::instance() { return the_engine.engine.load(std::memory_order_acquire); }
void Engine::install(Engine* engine) { the_engine.engine.store(engine, std::memory_order_release); }

namespace {

// What a gang has waits in its queue, attached to the level where it has its turn: workers below
// take from there, and a thief from elsewhere would take the gang to another's level.
plan::StealRule rule_of(const policy::Policy& policy, const plan::Tuning& tuning,
                        int64_t patience_ns) {
  plan::StealRule rule = policy.steal;
  const bool by_level = policy.turns_on_levels && tuning.gang_kind != topo::LevelKind::machine;
  if (patience_ns < 0 || by_level) rule.order = plan::VictimOrder::none;
  return rule;
}

}  // namespace

Engine::Engine(const topo::Machine& machine, const policy::Policy& policy, plan::Tuning tuning,
               Times times)
    : machine_(machine),
      policy_(policy),
      tuning_(tuning),
      search_(machine, rule_of(policy, tuning, times.patience_ns), times.patience_ns),
      gangs_(machine, policy, tuning, times.slice_ns),
      hooks_(machine, policy, tuning),
      counts_teams_(policy.tick != nullptr || policy.has_hooks()) {}

namespace {

// Members that have no move of their own are left where the bubble opened.
void add_what_is_left(plan::Placement& made) {
  std::vector<bool> has_range(static_cast<size_t>(made.n));
  has_range[0] = true;  // member 0 runs already
  for (const plan::Range& range : made.ranges)
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
// after region.
plan::Placement Engine::flat_placement(int n, uint64_t seed) const {
  std::array<plan::Entity, 2> memory;
  const plan::View view = plan::flat_team(machine_.levels(), memory, n, maker_pu);
  plan::Plan plan;
  decide(view, seed, plan);
  plan::Placement made;
  made.why = plan::Why::policy;
  made.n = n;
  made.burst_level = 0;
  for (const plan::Move& move : plan.moves()) {
    const bool run = view.entity(move.entity).kind == plan::EntityKind::run;
    if (!run && move.burst) made.burst_level = move.level;
    if (!run && move.burst) continue;        // what it holds follows
    const int lo = std::max(move.first, 1);  // member 0 runs already
    const int hi = run ? move.first + move.count : n;
    if (lo < hi) made.ranges.push_back({lo, hi, move.level});
  }
  add_what_is_left(made);
  return made;
}

// Null: there is none yet, and `full` says whether there is room for one.
const plan::Placement* Engine::kept_for(int n, bool& full) {
  Locked locked(lock_);
  for (const auto& kept : kept_)
    if (kept->n == n) return kept.get();
  full = kept_.size() == most_kept;
  return nullptr;
}

// The policy decides without the lock: a user's own may take long.
const plan::Placement* Engine::for_team(int n, plan::Placement& made) {
  if (!policy_.repeats) {
    made = flat_placement(n, drawn_.fetch_add(1, std::memory_order_relaxed));
    return &made;
  }
  bool full = false;
  if (const plan::Placement* kept = kept_for(n, full)) return kept;
  if (full) return nullptr;
  auto fresh = std::make_unique<plan::Placement>(flat(n));
  Locked locked(lock_);
  for (const auto& kept : kept_)  // another external thread may have been faster
    if (kept->n == n) return kept.get();
  kept_.push_back(std::move(fresh));
  return kept_.back().get();
}

}  // namespace xylem::sched
