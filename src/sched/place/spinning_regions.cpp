// Owns: the rule. See spinning_regions.hpp.
#include "sched/place/spinning_regions.hpp"

#include <algorithm>
#include <utility>

namespace xylem::sched {

namespace {

constexpr uint32_t trial = 8;           // uses that try extra workers
constexpr uint32_t most_period = 4096;  // of uses
constexpr int weight_bits = 2;          // a new time counts for a quarter

void average(uint64_t& known, uint64_t took) {
  known = known == 0 ? took + 1 : known - (known >> weight_bits) + (took >> weight_bits);
}

}  // namespace

bool SpinningRegions::begin(void (*function)(void*), int n, uint32_t reliefs, uint64_t now) {
  Record& record = records_.find_or_make(function, n);
  open_ = &record;
  begun_ = now;
  reliefs_ = reliefs;
  return record.way == at_once;
}

void SpinningRegions::end_in_turn(Record& record) {
  if (record.left > 0 && --record.left > 0) return;
  record.way = at_once;
  record.left = record.gained ? record.period : trial;
  record.ticks[at_once] = 0;
}

void SpinningRegions::end_at_once(Record& record) {
  if (--record.left > 0) return;
  record.gained = record.ticks[at_once] <= record.ticks[in_turn] - record.ticks[in_turn] / 4;
  record.way = in_turn;
  record.left = record.gained ? 1 : record.period;
  record.period = std::min(2 * record.period, most_period);
}

void SpinningRegions::end(uint32_t reliefs, uint64_t now) {
  Record* record = std::exchange(open_, nullptr);
  if (!record) return;
  if (record->way == in_turn && reliefs == reliefs_) return;  // nothing was to be done
  average(record->ticks[record->way], now - begun_);
  if (record->way == in_turn)
    end_in_turn(*record);
  else
    end_at_once(*record);
}

}  // namespace xylem::sched
