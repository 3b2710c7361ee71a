// Owns: measured loads, and sizes of inner teams. See known_regions.hpp.
#include "sched/place/known_regions.hpp"

#include <algorithm>
#include <numeric>

#include "base/spin_lock.hpp"

namespace xylem::sched {

namespace {

// What was measured decides when it is worth so much time of processors.
constexpr int64_t enough_ns = 100'000'000;
// The busiest PU must have less than this part of what it has now.
constexpr double clearly_less = 0.9;

// A region whose members open teams of ever other sizes is placed anew so often, and then no more.
constexpr int most_plans = 8;
constexpr int unknown_inner = -1;

// Cells that no initial has. They are never freed: a sampler that is late may still add to them.
struct Cells {
  std::array<std::atomic<int64_t>, KnownRegions::most_members> values{};
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

}  // namespace

void KnownRegions::before_fork() XYLEM_NO_THREAD_ANALYSIS { spare_lock.lock(); }
void KnownRegions::after_fork(bool /*in_child*/) XYLEM_NO_THREAD_ANALYSIS { spare_lock.unlock(); }

KnownRegions::~KnownRegions() {
  if (cells_) put_cells(cells_);
  for (Region* region : regions_) delete region;
}

// The region's record, or that which was made first, anew; null: it is too large. What a record
// holds beyond n is not looked at.
KnownRegions::Region* KnownRegions::region_of(void (*function)(void*), int n) {
  if (n > most_members) return nullptr;
  if (!cells_) cells_ = take_cells();
  for (Region* region : regions_)
    if (region && region->function == function && region->n == n) return region;
  Region*& region = regions_[next_++ % regions_.size()];
  if (!region) region = new Region;
  region->function = function;
  region->n = n;
  std::fill_n(region->ns.begin(), n, 0);
  region->told.n = 0;
  region->inner = unknown_inner;
  region->plans = 0;
  return region;
}

// Teams of members have room where a member has a part of the machine for itself. With a member for
// each PU it has not, and the policy's flat plan is the same.
void KnownRegions::expect_inner(Region& region, int inner, const Engine& engine) {
  if (inner < 2) inner = 0;
  if (inner == region.inner || region.plans == most_plans) return;
  region.inner = inner;
  if (region.n >= engine.pu_count()) return;
  ++region.plans;
  region.told.n = 0;
  if (inner > 0) region.told = engine.nested(region.n, inner);
}

const plan::Placement* KnownRegions::begin(const Engine& engine, void (*function)(void*), int n,
                                            int inner, uint32_t samples) {
  samples_before_ = samples;
  // Most often it is the one before.
  if (!open_ || open_->function != function || open_->n != n) open_ = region_of(function, n);
  if (open_ && open_->inner == unknown_inner) expect_inner(*open_, inner, engine);
  return open_ && open_->told.n != 0 ? &open_->told : nullptr;
}

// relaxed: a sum; what the sampler adds while we look goes to the next region
void KnownRegions::add_up(Region& region) {
  for (size_t i = 0; i < static_cast<size_t>(region.n); ++i)
    region.ns[i] += cells_[i].exchange(0, std::memory_order_relaxed);
}

void KnownRegions::decide(Region& region, const Engine& engine) {
  const std::span<const int64_t> loads{region.ns.data(), static_cast<size_t>(region.n)};
  const plan::Placement now = region.told.n != 0 ? region.told : engine.flat(region.n);
  plan::Placement better = engine.by_loads(loads);
  const auto longest_now = static_cast<double>(engine.longest(now, loads));
  if (static_cast<double>(engine.longest(better, loads)) < clearly_less * longest_now)
    (region.told = std::move(better)).why = plan::Why::measured_loads;
  region.ns.fill(0);
}

void KnownRegions::end(const Engine& engine, int inner, uint32_t samples) {
  if (!open_) return;
  expect_inner(*open_, inner, engine);
  if (samples_before_ == samples) return;
  add_up(*open_);
  const int64_t all = std::accumulate(open_->ns.begin(), open_->ns.begin() + open_->n, int64_t{0});
  if (all >= enough_ns) decide(*open_, engine);
}

}  // namespace xylem::sched
