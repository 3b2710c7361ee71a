// Owns: distribution of bubbles. See engine.hpp.
#include "sched/place/engine.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "plan/holders.hpp"
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

Engine::Engine(const topo::Machine& machine, const policy::Policy& policy, plan::Tuning tuning,
               Times times)
    : machine_(machine),
      policy_(policy),
      tuning_(tuning),
      search_(machine, policy.steal, times.patience_ns),
      gangs_(machine, policy, tuning, times.slice_ns) {}

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
// after region. `view` is a bubble with one run of n members, or with a run for each of them.
plan::Placement Engine::placement_of(plan::View view, int n, uint64_t seed) const {
  const bool apart = view.entities.size() > 2;
  plan::Plan plan;
  decide(view, seed, plan);
  plan::Placement made;
  made.why = plan::Why::policy;
  made.n = n;
  made.burst_level = 0;
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

plan::Placement Engine::flat_placement(int n, uint64_t seed) const {
  std::array<plan::Entity, 2> memory;
  return placement_of(plan::flat_team(machine_.levels(), memory, n, maker_pu), n, seed);
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

// A run of one for each member; the first is pinned where it runs already.
plan::Placement Engine::by_loads(std::span<const int64_t> loads) const {
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
  return placement_of(forest.view(machine_.levels()), n, static_cast<uint64_t>(n));
}

// Of each member a bubble with its team inside: the lowest level that holds that is the member's.
plan::Placement Engine::nested(int n, int inner) const {
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
  plan::Placement made;
  made.why = plan::Why::measured_loads;
  made.n = n;
  made.burst_level = 0;
  const std::span<const plan::Entity> members = std::span(entities).subspan(1);
  for (int i = 1; i < n; ++i) {  // member 0 runs already
    const int team = members[static_cast<size_t>(n) + static_cast<size_t>(i)].level;
    const int member = members[static_cast<size_t>(i)].level;
    made.ranges.push_back({i, i + 1, std::max(0, team >= 0 ? team : member)});
  }
  return made;
}

namespace {

// The level of each member's queue; that of member 0 is its PU's.
std::vector<int> levels_of(const plan::Placement& placement, int level_of_first) {
  std::vector<int> levels(static_cast<size_t>(placement.n), level_of_first);
  for (const plan::Range& range : placement.ranges)
    std::fill(levels.begin() + range.lo, levels.begin() + range.hi, range.level);
  return levels;
}

// Neighbours on one level stand in one range.
void append(plan::Placement& made, int member, int level) {
  if (!made.ranges.empty() && made.ranges.back().level == level)
    ++made.ranges.back().hi;
  else
    made.ranges.push_back({member, member + 1, level});
}

int64_t load_of(std::span<const OpenTeam> teams) {
  int64_t sum = 0;
  for (const OpenTeam& team : teams) sum += team.load;
  return sum;
}

int64_t sum_of(std::span<const int64_t> loads) {
  return std::accumulate(loads.begin(), loads.end(), int64_t{0});
}

}  // namespace

// A member goes where the middle of its load lies, in a row of all loads that is as long as the
// machine has PUs.
plan::Placement Engine::beside(std::span<const OpenTeam> teams, int own,
                               std::span<const int64_t> loads) const {
  const auto [n, load] = teams[static_cast<size_t>(own)];
  const std::vector<int> levels = levels_of(flat(pu_count()), machine_.pu_level(maker_pu));
  const double per_pu = static_cast<double>(load_of(teams)) / pu_count();
  const double before = static_cast<double>(load_of(teams.first(static_cast<size_t>(own))));
  const double scale =
      static_cast<double>(load) / static_cast<double>(loads.empty() ? n : sum_of(loads));
  plan::Placement made;
  made.why = plan::Why::beside_others;
  made.n = n;
  double at = before;
  for (int i = 0; i < n; ++i) {
    const double own_load =
        scale * static_cast<double>(loads.empty() ? 1 : loads[static_cast<size_t>(i)]);
    const auto pu = static_cast<size_t>((at + own_load / 2) / per_pu);
    if (i > 0) append(made, i, levels[std::min(pu, levels.size() - 1)]);
    at += own_load;
  }
  return made;
}

int64_t Engine::longest(const plan::Placement& placement, std::span<const int64_t> loads) const {
  std::vector<int64_t> below(static_cast<size_t>(machine_.pu_count()));
  below[maker_pu] = loads[0];
  for (const plan::Range& range : placement.ranges) {
    const topo::Level& level = machine_.levels()[static_cast<size_t>(range.level)];
    int64_t sum = 0;
    for (int i = range.lo; i < range.hi; ++i) sum += loads[static_cast<size_t>(i)];
    for (int pu = level.first_pu; pu < level.first_pu + level.pu_count; ++pu)
      below[static_cast<size_t>(pu)] += sum / level.pu_count;
  }
  return *std::max_element(below.begin(), below.end());
}

}  // namespace xylem::sched
