// Owns: the rule. See short_regions.hpp.
#include "sched/place/short_regions.hpp"

#include <algorithm>
#include <utility>

#include "os/ticks.hpp"

namespace xylem::sched {

namespace {

constexpr uint32_t period = 4096;  // uses of a region from one trial to the next
constexpr uint32_t trial = 16;     // uses that try the way that is not taken otherwise
constexpr uint32_t least_calm = 16, most_calm = 4096;
constexpr int weight_bits = 2;  // a new time counts for a quarter
constexpr int64_t waking_ns = 5'000;
constexpr int most_woken = 32;
// A long one that stayed is pardoned after so many short ones, unless it took so many times what
// short ones take at most.
constexpr uint32_t calm_to_pardon = 64, most_pardoned = 5;

}  // namespace

ShortRegions::Way ShortRegions::way_for(Record& record) {
  if (record.calm < record.calm_needed) return shared;
  const Way better =
      record.ticks[at_home] != 0 && record.ticks[at_home] < record.ticks[shared] ? at_home : shared;
  const uint32_t at = record.uses++ % period;
  if (at == 0) {
    if (record.uses > period) record.calm_needed = std::max(record.calm_needed / 2, least_calm);
    record.way = better == shared ? at_home : shared;
    record.ticks[record.way] = 0;
  } else if (at == trial) {
    record.way = better;
  }
  return record.way;
}

bool ShortRegions::begin(void (*function)(void*), int n, uint64_t now) {
  open_ = nullptr;
  if (longest_ticks_ == 0) {
    if (longest_ns_ == 0) return false;
    longest_ticks_ = os::ticks_in(longest_ns_);
    if (longest_ticks_ == 0) return false;
    waking_ticks_ = os::ticks_in(waking_ns);
  }
  Record& record = records_.find_or_make(function, n);
  record.way = way_for(record);
  open_ = &record;
  begun_ = now;
  return record.way == at_home;
}

// At home also one that took less than it takes if it is shared.
bool ShortRegions::was_long(const Record& record, uint64_t took) const {
  if (record.way == at_home) return took > std::max(longest_ticks_, record.ticks[shared]);
  return took >
         longest_ticks_ + static_cast<uint64_t>(std::min(record.n, most_woken)) * waking_ticks_;
}

bool ShortRegions::is_pardoned(Record& record, uint64_t took) const {
  if (record.way != at_home || record.calm_at_home < calm_to_pardon) return false;
  record.calm_at_home = 0;
  return took <= most_pardoned * longest_ticks_;
}

void ShortRegions::end(uint64_t now) {
  Record* record = std::exchange(open_, nullptr);  // the next region may not be asked about
  if (!record) return;
  const uint64_t took = now - begun_;
  if (was_long(*record, took)) {
    if (is_pardoned(*record, took)) return;
    if (record->way == at_home) record->calm_needed = std::min(2 * record->calm_needed, most_calm);
    record->calm = record->calm_at_home = record->uses = 0;
    record->way = shared;
    return;
  }
  ++record->calm;
  record->calm_at_home += record->way == at_home;
  uint64_t& known = record->ticks[record->way];
  known = known == 0 ? took + 1 : known - (known >> weight_bits) + (took >> weight_bits);
}

}  // namespace xylem::sched
