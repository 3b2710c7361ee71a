// Owns: how soon after a stolen task the next one is stolen.
//
// To steal a task moves cache lines of its maker: the queue's, the counters' of those who wait for
// it, its own. A task that runs for less than that takes had been run sooner by its maker. So after
// such a brief task all who wait leave the others' queues alone for a rest, a longer one each time,
// until a task was worth it. What waits there meanwhile is stolen all the same: a rest is short,
// and who is about to sleep steals what there is after it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "os/ticks.hpp"

namespace xylem::omp {

class StealPace {
 public:
  // Times are ticks. A task was stolen in `taking`, with the queue's lock held, and had run for
  // `running` by `now`; a rest takes `longest` at most. relaxed: a rest that is seen late, or
  // missed, costs a steal.
  void ended(uint64_t now, uint64_t taking, uint64_t running, uint64_t longest) {
    if (running >= lines_moved * taking) return go_on();
    const uint64_t last = rest_.load(std::memory_order_relaxed);
    const uint64_t rest = std::min(std::max(2 * last, first_rest * taking), longest);
    rest_.store(rest, std::memory_order_relaxed);
    until_.store(now + rest, std::memory_order_relaxed);
  }
  // False: the last task was worth it, and nobody rests.
  bool has_rest() const { return until_.load(std::memory_order_relaxed) != 0; }
  bool rests(uint64_t now) const { return now < until_.load(std::memory_order_relaxed); }
  // Reads the clock only if need be.
  bool rests_now() const { return has_rest() && rests(os::read_ticks_early()); }

 private:
  // The lock's line came before, and the end of the task moves as many as the taking.
  static constexpr uint64_t lines_moved = 2;
  static constexpr uint64_t first_rest = 4;  // times the taking

  void go_on() {
    if (!has_rest()) return;  // the line stays with all who read it
    rest_.store(0, std::memory_order_relaxed);
    until_.store(0, std::memory_order_relaxed);
  }

  std::atomic<uint64_t> rest_{0};   // the last one's length
  std::atomic<uint64_t> until_{0};  // 0: the last task was worth it
};

}  // namespace xylem::omp
