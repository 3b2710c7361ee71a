// Owns: measured loads. See measured_loads.hpp.
#include "omp/measured_loads.hpp"

#include <numeric>

namespace xylem::omp {

namespace {

// What was measured decides when it is worth so much time of processors.
constexpr int64_t enough_ns = 100'000'000;
// The busiest PU must have less than this part of what it has now.
constexpr double clearly_less = 0.9;

}  // namespace

MeasuredLoads::~MeasuredLoads() {
  for (Region* region : regions_) delete region;
}

const exec::Distribution* MeasuredLoads::begin(void (*function)(void*), int n, uint32_t samples) {
  open_ = nullptr;
  if (n > most_members) return nullptr;
  if (!cells_) cells_ = new std::atomic<int64_t>[most_members]();
  samples_before_ = samples;
  for (Region* region : regions_)
    if (region && region->function == function && region->n == n) open_ = region;
  if (!open_) {
    Region*& place = regions_[next_++ % regions_.size()];
    if (!place) place = new Region;
    *place = Region{function, n, {}, {}};
    open_ = place;
  }
  return open_->told.n != 0 ? &open_->told : nullptr;
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
  const int64_t all = std::accumulate(open_->ns.begin(), open_->ns.end(), int64_t{0});
  if (all >= enough_ns) decide(*open_, engine);
}

}  // namespace xylem::omp
