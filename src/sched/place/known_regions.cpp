// Owns: records of regions, and when a tree is placed anew. See known_regions.hpp.
#include "sched/place/known_regions.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/spin_lock.hpp"

namespace xylem::sched {

namespace {

// What was measured decides when it is worth so much time of processors.
constexpr int64_t enough_ns = 100'000'000;
// The busiest PU must have less than this part of what it has now.
constexpr double clearly_less = 0.9;

// A region whose tree is ever another one is placed anew so often, and then no more.
constexpr int most_plans = 8;

// Cells that no group has. They are never freed: a sampler that is late may still add to them.
struct Cells {
  std::array<std::atomic<int64_t>, KnownRegions::most_measured> values{};
  Cells* next = nullptr;
};
constinit base::SpinLock spare_lock{spare_rank};
constinit Cells* spare XYLEM_GUARDED_BY(spare_lock) = nullptr;

std::atomic<int64_t>* take_cells() {
  base::Locked locked(spare_lock);
  Cells* cells = spare;
  if (cells)
    spare = cells->next;
  else
    cells = new Cells;
  return cells->values.data();
}

void put_cells(std::atomic<int64_t>* values) {
  auto* cells = reinterpret_cast<Cells*>(values);  // its first member
  base::Locked locked(spare_lock);
  cells->next = spare;
  spare = cells;
}

// All members on the PU of their maker, as if nothing were known of the team.
plan::Placement near_maker(int n, int pu_level) {
  plan::Placement made;
  made.n = n;
  made.burst_level = pu_level;
  made.whole = {1, n, pu_level};
  return made;
}

// Each team goes where the levels of its threads say. `held`: nobody steals the members.
void place_teams(const Engine& engine, const plan::TeamTree& tree, const plan::ByMember<int>& by,
                 plan::Why why, bool held, std::span<KnownTeam* const> known) {
  const plan::Levels levels = engine.machine().levels();
  std::vector<plan::Placement> made = plan::placements(tree, by, why);
  const std::vector<int> parts = plan::parts(levels, tree, by);
  for (size_t team = 0; team < tree.size(); ++team) {
    if (!known[team]) continue;
    // The outermost team's maker may run anywhere.
    const topo::Level& part = plan::at(levels, team == 0 ? 0 : parts[team]);
    if (team > 0 && part.pu_count == 1) made[team] = near_maker(tree[team].n, parts[team]);
    made[team].held = held;
    known[team]->set_placement(std::move(made[team]), part);
  }
}

// Whether no other plan would give the PU with most clearly less: then thieves have nothing to
// mend.
bool is_even(plan::Levels levels, const plan::ByMember<int>& by,
             const plan::ByMember<int64_t>& loads) {
  return plan::least_longest(levels, loads) >= clearly_less * plan::longest(levels, by, loads);
}

// A PU that idles for a moment, as its threads wait for others, would tear apart teams whose shares
// are even: by loads that are told, nobody steals then.
void place_by_loads(const Engine& engine, const plan::TeamTree& tree, bool told,
                    std::span<KnownTeam* const> known) {
  const plan::ByMember<int> by = engine.levels_of(tree);
  const bool held = told && is_even(engine.machine().levels(), by, engine.loads_of(tree));
  place_teams(engine, tree, by, told ? plan::Why::told_loads : plan::Why::measured_loads, held,
              known);
}

}  // namespace

void KnownRegions::before_fork() XYLEM_NO_THREAD_ANALYSIS { spare_lock.lock(); }
void KnownRegions::after_fork(bool /*in_child*/) XYLEM_NO_THREAD_ANALYSIS { spare_lock.unlock(); }

KnownRegions::~KnownRegions() {
  if (cells_) put_cells(cells_);
}

KnownRegions::Region& KnownRegions::region_of(void (*function)(void*), int n) {
  if (last_ && last_->function == function && last_->n == n) return *last_->region;
  last_ = &records_.find_or_make(function, n);
  if (!last_->region) last_->region = std::make_unique<Region>(n);
  return *last_->region;
}

void KnownRegions::place(Region& region, const Engine& engine, const Beginning& beginning) {
  region.is_stale = false;
  region.told = beginning.told.version();
  region.others = beginning.others;
  region.tree.top().forget_placements();
  std::vector<KnownTeam*> known;
  region.shape = region.tree.shape(beginning.inner, known);
  plan::TeamTree tree = region.shape;
  const bool told = beginning.told.write_to(tree);
  if (!told) tree[0].loads = region.loads;
  region.may_be_measured = !told && beginning.others == 0 && region.n <= most_measured;
  if (beginning.others != 0)
    place_teams(engine, tree, engine.beside(tree, beginning.open.teams(), beginning.open.own()),
                plan::Why::beside_others, false, known);
  else if (told || !region.loads.empty() || tree.size() > 1)
    place_by_loads(engine, tree, told, known);
}

void KnownRegions::begin_measuring(bool may_be_measured, uint32_t samples) {
  samples_before_ = samples;
  is_measured_ = may_be_measured;
  if (is_measured_ && !cells_) cells_ = take_cells();
}

void KnownRegions::begin_elsewhere(uint32_t samples) {
  open_ = last_->region.get();
  if (!std::exchange(open_->is_elsewhere, true)) open_->ns.clear();
  begin_measuring(open_->n <= most_measured, samples);
}

namespace {
int64_t sum_of(const std::vector<int64_t>& ns) {
  return std::accumulate(ns.begin(), ns.end(), int64_t{0});
}
}  // namespace

std::vector<int64_t> KnownRegions::take_measured(void (*function)(void*), int n,
                                                 int64_t at_least_ns) {
  Region& region = region_of(function, n);
  if (!region.is_elsewhere || sum_of(region.ns) < at_least_ns) return {};
  region.ns.resize(static_cast<size_t>(n));
  return std::exchange(region.ns, {});
}

const plan::Placement* KnownRegions::begin(const Engine& engine, const Beginning& beginning) {
  Region& region = region_of(beginning.function, beginning.n);
  open_ = &region;
  if (std::exchange(region.is_elsewhere, false)) region.ns.clear();
  if (region.is_stale || region.told != beginning.told.version() ||
      region.others != beginning.others) [[unlikely]]
    place(region, engine, beginning);
  begin_measuring(region.may_be_measured, beginning.samples);
  return region.tree.top().placement(region.n, maker_pu);
}

plan::TeamTree KnownRegions::tree_of(void (*function)(void*), int n, int inner) {
  Region& region = region_of(function, n);
  std::vector<KnownTeam*> known;
  return region.shape = region.tree.shape(inner, known);
}

// relaxed: a sum; what the sampler adds while we look goes to the next region
void KnownRegions::add_up(Region& region) {
  region.ns.resize(static_cast<size_t>(region.n));
  for (size_t i = 0; i < region.ns.size(); ++i)
    region.ns[i] += cells_[i].exchange(0, std::memory_order_relaxed);
}

void KnownRegions::decide(Region& region, const Engine& engine) {
  std::vector<KnownTeam*> known;
  plan::TeamTree tree = region.tree.shape(1, known);
  tree[0].loads = region.loads;
  const plan::ByMember<int> now = engine.levels_of(tree);
  tree[0].loads = region.ns;
  const plan::ByMember<int> better = engine.levels_of(tree);
  const plan::ByMember<int64_t> loads = engine.loads_of(tree);
  const plan::Levels levels = engine.machine().levels();
  if (plan::longest(levels, better, loads) < clearly_less * plan::longest(levels, now, loads)) {
    region.loads = region.ns;
    region.is_stale = true;
  }
  std::ranges::fill(region.ns, 0);
}

void KnownRegions::end(const Engine& engine, uint32_t samples, uint64_t now) {
  Region* region = std::exchange(open_, nullptr);
  if (!region) return;
  if (region->tree.ended(now) && region->plans < most_plans) {
    ++region->plans;
    region->is_stale = true;
  }
  if (!std::exchange(is_measured_, false) || samples_before_ == samples) return;
  add_up(*region);
  if (!region->is_elsewhere && sum_of(region->ns) >= enough_ns) decide(*region, engine);
}

}  // namespace xylem::sched
