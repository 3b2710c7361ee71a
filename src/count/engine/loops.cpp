// Owns: timing blocks against turns. See loops.hpp.
#include "count/engine/loops.hpp"

#include <algorithm>
#include <cstddef>

namespace xylem::count {

namespace {

Division division_of(int part) {
  return part == 1 || part == 2 ? Division::cyclic : Division::block;
}

}  // namespace

// Runs: one that does not count and part 0, one and parts 1 and 2, one and part 3.
LoopTrial::Place LoopTrial::place_of(int run) {
  constexpr int first = 1 + runs_in_part, middle = 1 + 2 * runs_in_part;
  if (run < first) return {0, run > 0, run == first - 1};
  if (run < first + middle) {
    const int counted = run - first - 1;  // in both parts
    const int part = counted < runs_in_part ? 1 : 2;
    return {part, counted >= 0, counted % runs_in_part == runs_in_part - 1};
  }
  const int counted = run - first - middle - 1;
  return {3, counted >= 0, counted == runs_in_part - 1};
}

Division LoopTrial::next() const {
  if (is_settled()) return cyclic_is_better_ ? Division::cyclic : Division::block;
  return division_of(place_of(run_).part);
}

void LoopTrial::took(double ns_per_iteration) {
  if (is_settled()) return;
  untimed_ = 0;
  const Place place = place_of(run_++);
  if (place.counts) part_[in_part_++] = ns_per_iteration;
  if (place.is_last) {
    Sum& sum = sums_[static_cast<std::size_t>(division_of(place.part))];
    std::ranges::sort(part_);
    for (std::size_t run = 0; run < runs_in_part / 2; ++run) sum.ns += part_[run];
    sum.runs += runs_in_part / 2;
    in_part_ = 0;
  }
  if (is_settled())
    cyclic_is_better_ = mean_ns(Division::cyclic) * margin < mean_ns(Division::block);
}

void LoopTrial::was_not_timed() {
  if (!is_settled() && ++untimed_ == most_untimed) run_ = runs_in_all;
}

double LoopTrial::mean_ns(Division division) const {
  const Sum& sum = sums_[static_cast<std::size_t>(division)];
  return sum.runs == 0 ? 0 : sum.ns / sum.runs;
}

}  // namespace xylem::count
