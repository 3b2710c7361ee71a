// Owns: measured loads. See measured_loads.hpp.
#include "omp/measured_loads.hpp"

#include <algorithm>
#include <numeric>

#include "fiber/spin_lock.hpp"

namespace xylem::omp {

namespace {

// What was measured decides when it is worth so much time of processors.
constexpr int64_t enough_ns = 100'000'000;
// The busiest PU must have less than this part of what it has now.
constexpr double clearly_less = 0.9;

// Cells that no root has. They are never freed: a sampler that is late may still add to them.
struct Cells {
  std::array<std::atomic<int64_t>, MeasuredLoads::most_members> values{};
  Cells* next = nullptr;
};
constinit fiber::SpinLock spare_lock;
constinit Cells* spare XYLEM_GUARDED_BY(spare_lock) = nullptr;

std::atomic<int64_t>* take_cells() {
  fiber::Locked locked(spare_lock);
  Cells* cells = spare;
  if (cells)
    spare = cells->next;
  else
    cells = new Cells;
  return cells->values.data();
}

void put_cells(std::atomic<int64_t>* values) {
  auto* cells = reinterpret_cast<Cells*>(values);  // its first member
  fiber::Locked locked(spare_lock);
  cells->next = spare;
  spare = cells;
}

}  // namespace

void MeasuredLoads::before_fork() XYLEM_NO_THREAD_ANALYSIS { spare_lock.lock(); }
void MeasuredLoads::after_fork() XYLEM_NO_THREAD_ANALYSIS { spare_lock.unlock(); }

MeasuredLoads::~MeasuredLoads() {
  if (cells_) put_cells(cells_);
  for (Region* region : regions_) delete region;
}

// The region's record, or that which was made first, anew; null: it is too large. What a record
// holds beyond n is not looked at.
MeasuredLoads::Region* MeasuredLoads::region_of(void (*function)(void*), int n) {
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
  return region;
}

const exec::Distribution* MeasuredLoads::begin(void (*function)(void*), int n, uint32_t samples) {
  samples_before_ = samples;
  // Most often it is the one before.
  if (!open_ || open_->function != function || open_->n != n) open_ = region_of(function, n);
  return open_ && open_->told.n != 0 ? &open_->told : nullptr;
}

// relaxed: a sum; what the sampler adds while we look goes to the next region
void MeasuredLoads::add_up(Region& region) {
  for (size_t i = 0; i < static_cast<size_t>(region.n); ++i)
    region.ns[i] += cells_[i].exchange(0, std::memory_order_relaxed);
}

void MeasuredLoads::decide(Region& region, const exec::Engine& engine) {
  const std::span<const int64_t> loads{region.ns.data(), static_cast<size_t>(region.n)};
  const exec::Distribution now = region.told.n != 0 ? region.told : engine.flat(region.n);
  exec::Distribution better = engine.distribution_by_load(loads);
  const auto longest_now = static_cast<double>(engine.longest(now, loads));
  if (static_cast<double>(engine.longest(better, loads)) < clearly_less * longest_now)
    region.told = std::move(better);
  region.ns.fill(0);
}

void MeasuredLoads::end(const exec::Engine& engine, uint32_t samples) {
  if (!open_ || samples_before_ == samples) return;
  add_up(*open_);
  const int64_t all = std::accumulate(open_->ns.begin(), open_->ns.begin() + open_->n, int64_t{0});
  if (all >= enough_ns) decide(*open_, engine);
}

}  // namespace xylem::omp
