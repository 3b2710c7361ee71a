// How much room the children of a level have, and which of them an entity goes to.
//
// Owns: EvenCut and Room, the arithmetic of greedy policies. Invariant: a choice depends on numbers
// only, ties go to the first child.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan/view.hpp"

namespace xylem::policy {

// Cuts `things` into consecutive parts in proportion to weights that sum to `total`: parts differ
// from the exact shares by less than one, and the larger come first. Fewer things than `holders` of
// weight go one by one to the first of them, with no gaps. O(1) a part.
class EvenCut {
 public:
  EvenCut(int things, int total, int holders)
      : things_(things), total_(total), sparse_(things < holders) {}

  // Size of the next part. Sum over all parts is `things`; no part exceeds its weight when things
  // <= total.
  int next(int weight) {
    if (sparse_) return give(given_ + (weight > 0 && given_ < things_ ? 1 : 0));
    weight_ += weight;
    std::int64_t shares = static_cast<std::int64_t>(things_) * weight_;
    return give(static_cast<int>((shares + total_ - 1) / std::max(1, total_)));
  }

 private:
  int give(int end) {
    int part = end - given_;
    given_ = end;
    return part;
  }

  int things_;
  int total_;
  bool sparse_;
  int weight_ = 0;
  int given_ = 0;
};

// A child of the level being filled, and what it has been given so far.
struct Room {
  int level = -1;
  int cores = 0;
  int pus = 0;
  int first_pu = 0;
  int threads = 0;
  int forced = 0;  // of `threads`, those that may run nowhere else, as far as they can run at once
  std::int64_t load = 0;

  bool holds_pu(int pu) const { return pu >= first_pu && pu < first_pu + pus; }
  int free_cores() const { return std::max(0, cores - threads); }
  int free_pus() const { return std::max(0, pus - threads); }
  // 0: each of so many threads gets a core of its own; 1: a PU of its own; 2: some must wait.
  int crowding(int more) const {
    return threads + more <= cores ? 0 : threads + more <= pus ? 1 : 2;
  }
  double load_with(std::int64_t more) const { return static_cast<double>(load + more) / pus; }
  void give(int more_threads, std::int64_t more_load) {
    threads += more_threads;
    load += more_load;
  }
};

inline Room room_of(plan::Levels levels, int level) {
  const topo::Level& l = plan::at(levels, level);
  return {level, plan::cores_below(levels, level), l.pu_count, l.first_pu, 0, 0, 0};
}

// True if something of `threads` and `load` that ran last on `last_pu` (or -1) goes to `a` rather
// than to `b`, a child before it: room first, then where it ran last, then the smaller load for
// each PU. Without room the load decides before the past does.
inline bool better(const Room& a, const Room& b, int threads, std::int64_t load, int last_pu) {
  int crowding = a.crowding(threads);
  if (crowding != b.crowding(threads)) return crowding < b.crowding(threads);
  bool past_a = a.holds_pu(last_pu);
  bool past_b = b.holds_pu(last_pu);
  if (crowding < 2 && past_a != past_b) return past_a;
  double load_a = a.load_with(load);
  double load_b = b.load_with(load);
  if (load_a != load_b) return load_a < load_b;
  return past_a && !past_b;
}

}  // namespace xylem::policy
