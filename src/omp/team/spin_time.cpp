// Owns: the rule of spin_time.hpp.
#include "omp/team/spin_time.hpp"

#include <algorithm>

namespace xylem::omp {

namespace {

constexpr int64_t turn_ns = 10, most_ns = 10'000'000;

int64_t time_of(uint64_t turns) {
  return static_cast<int64_t>(std::min(turns, uint64_t{most_ns / turn_ns})) * turn_ns;
}

}  // namespace

int64_t spin_time_ns(const GlobalIcvs& global, int64_t own_turns, bool processors_are_shared) {
  if (own_turns >= 0) return time_of(static_cast<uint64_t>(own_turns));
  if (global.spin_count_given)
    return time_of(processors_are_shared ? global.throttled_spin_count : global.spin_count);
  if (processors_are_shared) return 0;
  if (global.block_time_ms >= 0)
    return std::min(most_ns, int64_t{global.block_time_ms} * 1'000'000);
  switch (global.wait_policy) {
    case WaitPolicy::active:
      return 2'000'000;
    case WaitPolicy::passive:
      return 0;
    case WaitPolicy::unset:
      break;
  }
  return 200'000;
}

}  // namespace xylem::omp
