// Owns: what counts as progress. See hang_watch.hpp.
#include "sched/worker/hang_watch.hpp"

#include <algorithm>

#include "os/clock.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {
constexpr int64_t most_between_polls_ns = 250'000'000;
// Who used less than this share of the time waits: a thread that polls with sleeps, for
// instance.
constexpr int64_t least_share = 200;
}  // namespace

HangWatch::Sum HangWatch::add_up() {
  Sum sum;
  const auto add = [&sum](Worker& worker) {
    // relaxed: see Worker
    sum.turns += worker.turns.load(std::memory_order_relaxed);
    if (const int tid = worker.tid.load(std::memory_order_relaxed))
      sum.cpu_ns += os::thread_cpu_ns(tid);
    ++sum.workers;
  };
  for (int pu = 0; pu < pool_.pu_count(); ++pu) pool_.each_worker(pu, add);
  pool_.each_solo(add);
  return sum;
}

bool HangWatch::has_moved(const Sum& sum, int64_t now) const {
  return moved_at_ == 0 || sum.turns != seen_.turns || sum.workers != seen_.workers ||
         (sum.cpu_ns - seen_.cpu_ns) * least_share > now - polled_at_;
}

bool HangWatch::poll(int64_t now) {
  if (limit_ns_ == 0) return false;
  if (moved_at_ != 0 && now - polled_at_ < std::min(limit_ns_ / 8, most_between_polls_ns))
    return false;
  const Sum sum = add_up();
  if (has_moved(sum, now)) moved_at_ = now;
  polled_at_ = now;
  seen_ = sum;
  return now - moved_at_ >= limit_ns_;
}

}  // namespace xylem::sched
