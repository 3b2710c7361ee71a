// Owns: how often the monitor polls.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace xylem::sched {

// Nanoseconds between two polls of the monitor while something waits (twice as long while nothing
// does), for time slices of so many: short enough that a slice ends at most half its length late,
// but never below 50 microseconds, at which a timer of the kernel's still keeps its time.
constexpr int64_t poll_period(int64_t time_slice_ns) {
  constexpr int64_t shortest = 50'000, longest = 1'000'000;
  return std::clamp(time_slice_ns / 2, shortest, longest);
}

// What a poll asks of the next one: nothing, to come after two ticks, or after one.
enum class PollNeed : uint8_t { none, steady, soon };

// Polls become rare where they find nothing to do, as each takes some 20 us of a processor, mostly
// the kernel's, and a program that computes in regions all the time has none to spare: the longer
// no poll was needed the later comes the next, at most after sixteen ticks. Who finds that
// something waits ends that. The monitor's, but for the last two.
class PollPace {
 public:
  explicit PollPace(int64_t tick_ns) : tick_(tick_ns) {}

  // The time of the next poll after one at `now`, the first of all, or one after a rest.
  int64_t next_after(int64_t now, PollNeed need) {
    if (need != PollNeed::none || was_ended()) calm_since_ = now;
    const int64_t after = (now - calm_since_) / calm_part;
    set_rare(after > 2 * tick_);
    if (need == PollNeed::soon) return now + tick_;
    return now + std::clamp(after, 2 * tick_, longest_ticks * tick_);
  }
  // True if the poll that was planned last is due now.
  bool was_ended() const { return is_rare_ && !told_.load(relaxed); }

  // For any thread, and in signal handlers. Whether polls are rare. A hint: whom an old value
  // misleads waits sixteen ticks at most.
  bool is_rare() const { return told_.load(relaxed); }
  // True if they were, and the monitor is to be told.
  bool end() { return told_.exchange(false, relaxed); }

 private:
  void set_rare(bool rare) {
    if (rare != is_rare_) told_.store(rare, relaxed);
    is_rare_ = rare;
  }

  static constexpr auto relaxed = std::memory_order_relaxed;  // see is_rare()
  static constexpr int64_t calm_part = 4, longest_ticks = 16;
  const int64_t tick_;
  int64_t calm_since_ = 0;
  bool is_rare_ = false;  // as the monitor wrote it last into told_
  std::atomic<bool> told_{false};
};

}  // namespace xylem::sched
