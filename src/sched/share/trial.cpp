// Owns: the steps of a trial. See trial.hpp.
#include "sched/share/trial.hpp"

#include <algorithm>

namespace xylem::sched {

// A worker that ended meanwhile took its counts with it: then nothing is known.
Trial::Phase Trial::after_seen(int64_t now_ns, int useful, const WorkersUse& use) {
  const int64_t time = now_ns - began_at_;
  if (began_at_ == 0 || !use.is_whole()) return Phase::watch;
  const int64_t delayed = use.delayed_ns * 1000 / time;
  const int64_t computed = (use.ran_ns - use.arrivals * arrival_cost_ns) * 1000 / time;
  switch (phase_) {
    case Phase::all:
      return after_all(useful, delayed, computed);
    case Phase::fewer:
      return after_fewer(computed);
    default:
      return delayed >= delayed_least && useful > 1 ? Phase::all : Phase::watch;
  }
}

Trial::Phase Trial::after_all(int useful, int64_t delayed, int64_t computed) {
  if (delayed < delayed_least || useful < 2) {
    fewer_were_better_ = false;
    doubled_ = 1;
    return Phase::watch;
  }
  all_computed_ = computed;
  const int64_t too_many = std::max<int64_t>(1, (delayed + 500) / 1000);
  fewer_ = static_cast<int>(std::max<int64_t>(1, useful - too_many));
  return Phase::fewer;
}

Trial::Phase Trial::after_fewer(int64_t computed) {
  const bool better = computed > all_computed_;
  doubled_ = better == fewer_were_better_ ? std::min(2 * doubled_, most_doubled) : 1;
  fewer_were_better_ = better;
  hold_ns_ = doubled_ * (better ? hold_fewer_ns : hold_all_ns);
  return Phase::hold;
}

}  // namespace xylem::sched
