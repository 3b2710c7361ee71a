// Owns: finding iterations. See iterations.hpp.
#include "count/iteration/iterations.hpp"

#include <algorithm>

namespace xylem::count {

namespace {

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

}  // namespace

void Iterations::remember(uint64_t region) {
  newest_ = newest_ == 0 ? ring_room - 1 : newest_ - 1;
  ring_[newest_] = ring_[newest_ + ring_room] = region;
}

// All that is remembered repeats with period_. As no shorter period does, one that is no multiple
// of it has matched fewer than period_ regions in a row (Fine and Wilf's theorem), and multiples of
// it match as long as it does, from a later region on. So it stays the best until it ends, and
// nothing else need be counted: a region costs a comparison instead of one for each period.
bool Iterations::is_steady() const {
  return period_ != 0 && matched_[index_of(period_)] >
                             static_cast<uint64_t>(most_regions) + static_cast<uint64_t>(period_);
}

// The period that matched for longest, of equals the shortest: multiples of a period match as well,
// but from a later region on. A loop inside of the iteration matches only until it ends.
int Iterations::better_of(int best, int period) const {
  const uint64_t matched = matched_[index_of(period)];
  if (matched < repeats_needed * static_cast<uint64_t>(period)) return best;
  return best == 0 || matched > matched_[index_of(best)] ? period : best;
}

// After a steady time that `region`, the newest, ended. By the theorem no period matched for longer
// than period_, so that all of it is still remembered.
int Iterations::recount(uint64_t region) {
  int best = 0;
  for (int period = 1; period <= most_regions; ++period) {
    uint64_t& matched = matched_[index_of(period)];
    matched = 0;
    if (ring_[newest_ + index_of(period)] != region) continue;
    const std::size_t room = ring_room - index_of(period);
    while (matched < room &&
           ring_[newest_ + matched] == ring_[newest_ + matched + index_of(period)])
      ++matched;
    best = better_of(best, period);
  }
  return best;
}

// No more periods than there are regions before the newest can match.
int Iterations::count_matches(uint64_t region) {
  const int known = static_cast<int>(std::min<uint64_t>(heard_, most_regions));
  int best = 0;
  for (int period = 1; period <= known; ++period) {
    uint64_t& matched = matched_[index_of(period)];
    if (ring_[newest_ + index_of(period)] != region) {
      matched = 0;
      continue;
    }
    ++matched;
    best = better_of(best, period);
  }
  return best;
}

int Iterations::best_period(uint64_t region) {
  if (!is_steady()) return count_matches(region);
  if (ring_[newest_ + index_of(period_)] != region) return recount(region);
  ++matched_[index_of(period_)];
  return period_;
}

Heard Iterations::begin(int64_t now_ns) {
  if (has_begun_) last_ns_ = now_ns - begun_ns_;
  has_begun_ = true;
  begun_ns_ = now_ns;
  return {true, false};
}

Heard Iterations::hear(uint64_t region, int64_t now_ns) {
  if (is_told_) {
    ++heard_;
    return {};
  }
  remember(region);
  const int period = best_period(region);
  ++heard_;
  Heard heard;
  if (period != period_) {
    // The first time that a period is found ends no phase.
    heard.phase_changed = period_ != 0;
    phase_changes_ += heard.phase_changed ? 1 : 0;
    period_ = period;
    has_begun_ = false;
    last_ns_ = 0;
    // The period's first time is before the regions that matched.
    if (period != 0) first_ = heard_ - matched_[index_of(period)] - static_cast<uint64_t>(period);
  }
  if (period_ != 0 && (heard_ - 1 - first_) % static_cast<uint64_t>(period_) == 0)
    heard.begins_iteration = begin(now_ns).begins_iteration;
  return heard;
}

Heard Iterations::tell(int64_t now_ns) {
  if (!is_told_) {
    is_told_ = true;
    has_begun_ = false;
    last_ns_ = 0;
    period_ = 0;
  }
  Heard heard = begin(now_ns);
  const auto regions = static_cast<int>(std::min<uint64_t>(heard_ - told_at_, INT32_MAX));
  if (told_ > 0) {
    heard.phase_changed = told_ > 1 && regions != period_;
    phase_changes_ += heard.phase_changed ? 1 : 0;
    period_ = regions;
  }
  ++told_;
  told_at_ = heard_;
  return heard;
}

uint64_t Iterations::repeats() const {
  if (is_told_) return told_ > 1 ? told_ - 1 : 0;
  return period_ == 0 ? 0 : matched_[index_of(period_)] / static_cast<uint64_t>(period_);
}

double Iterations::confidence() const {
  if (is_told_) return 1;
  const auto times = static_cast<double>(repeats());
  return times / (times + 1);
}

}  // namespace xylem::count
