// Owns: when a poll that takes long is due again.
//
// Due at once where something was asked for; else, while a poll leaves something open, ever more
// seldom: first after a hundred times what the poll took, then after twice that, and so on. So
// polls take at most a hundredth of the time. Times are ticks (os/ticks.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace xylem::sched {

class RarePoll {
 public:
  // relaxed, as all here: what is looked at is under locks of its own
  bool due(uint64_t now) const { return now >= due_.load(std::memory_order_relaxed); }
  void ask() { due_.store(0, std::memory_order_relaxed); }

  // True for one of those who find it due: that one polls, and then calls end().
  bool begin(uint64_t now) {
    uint64_t due = due_.load(std::memory_order_relaxed);
    return now >= due && due_.compare_exchange_strong(due, never, std::memory_order_relaxed);
  }
  // `open`: something may be seen later. A poll that was asked for meanwhile stays due.
  void end(uint64_t began, uint64_t ended, bool open) {
    if (!open) return;
    pause_ = std::max(2 * pause_, 100 * (ended - began));
    uint64_t due = never;
    due_.compare_exchange_strong(due, ended + pause_, std::memory_order_relaxed);
  }

 private:
  static constexpr uint64_t never = UINT64_MAX;
  std::atomic<uint64_t> due_{never};
  uint64_t pause_ = 0;  // by who polls
};

}  // namespace xylem::sched
