// Owns: the rule. See short_regions.hpp.
#include "omp/short_regions.hpp"

#include <algorithm>

#include "os/clock.hpp"
#include "os/ticks.hpp"

namespace xylem::omp {

namespace {

constexpr uint32_t period = 4096;  // uses of a region from one trial to the next
constexpr uint32_t trial = 16;     // uses that try the way that is not taken otherwise
constexpr uint32_t least_calm = 16, most_calm = 4096;
constexpr int weight_bits = 2;                 // a new time counts for a quarter
constexpr int64_t long_enough_ns = 2'000'000;  // to find the rate of ticks

}  // namespace

// Ticks are compared with each other; only what is long is said in nanoseconds.
bool ShortRegions::know_rate() {
  if (longest_ticks_ != 0) return true;
  if (longest_ns_ == 0) return false;
  const int64_t ns = os::now_ns();
  const uint64_t ticks = os::read_ticks();
  if (begun_ns_ == 0) {
    if (!os::ticks_are_steady()) longest_ns_ = 0;
    begun_ns_ = ns;
    begun_ticks_ = ticks;
  }
  if (ns - begun_ns_ < long_enough_ns) return false;
  longest_ticks_ = (ticks - begun_ticks_) * static_cast<uint64_t>(longest_ns_) /
                   static_cast<uint64_t>(ns - begun_ns_);
  return true;
}

ShortRegions::Way ShortRegions::way_for(Record& record) {
  if (record.calm < record.calm_needed) return shared;
  const bool home_is_better =
      record.ticks[at_home] != 0 && record.ticks[at_home] < record.ticks[shared];
  const uint32_t at = record.uses++ % period;
  if (at == 0 && record.uses > period)
    record.calm_needed = std::max(record.calm_needed / 2, least_calm);
  if (at == 0) record.ticks[home_is_better ? shared : at_home] = 0;
  if (at == 0) record.way = home_is_better ? shared : at_home;
  if (at == trial) record.way = home_is_better ? at_home : shared;
  return record.way;
}

bool ShortRegions::begin(void (*function)(void*), int n) {
  open_ = nullptr;
  if (!know_rate()) return false;
  const auto key = reinterpret_cast<uint64_t>(function) + static_cast<uint64_t>(n);
  Record& record = records_[key * 0x9E3779B97F4A7C15u >> 58];
  if (record.function != function || record.n != n) record = {function, n};
  record.way = way_for(record);
  open_ = &record;
  opened_ticks_ = os::read_ticks_early();
  return record.way == at_home;
}

bool ShortRegions::overdue() const {
  return os::read_ticks_early() - opened_ticks_ > longest_ticks_;
}

void ShortRegions::end() {
  if (!open_) return;
  const uint64_t took = os::read_ticks_early() - opened_ticks_;
  if (took > longest_ticks_) {
    if (open_->way == at_home) open_->calm_needed = std::min(2 * open_->calm_needed, most_calm);
    open_->calm = open_->uses = 0;
    open_->way = shared;
    return;
  }
  ++open_->calm;
  uint64_t& known = open_->ticks[open_->way];
  known = known == 0 ? took + 1 : known - (known >> weight_bits) + (took >> weight_bits);
}

}  // namespace xylem::omp
