// Owns: what the monitor keeps of each PU from one poll to the next.
#pragma once

#include <cstdint>

#include "sched/queue/group.hpp"
#include "sched/worker/monitor.hpp"

namespace xylem::sched {

inline constexpr int64_t tick_ns = 1'000'000;
// Where workers were found blocked, the first poll in between comes after so long, the others in
// distances that double up to the longest, until nobody was found blocked for keen_ns.
inline constexpr int64_t soonest_ns = 50'000, longest_soon_ns = 4 * soonest_ns,
                         keen_ns = 4 * tick_ns;
inline constexpr int64_t never = INT64_MAX;

struct Monitor::Watch {
  uint64_t turns = 0;       // of all the PU's workers together
  int64_t cpu_ns = 0;       // likewise
  int64_t polled_at = 0;    // time of the last poll; 0: nothing waited then
  int64_t stuck_since = 0;  // time since when nobody took a turn; 0: somebody does
  int64_t cpu_then_ns = 0;  // cpu_ns at that time
  int next_extras = 1;      // how many come when the slice is over
  bool asked = false;       // to switch, since somebody took a turn
  // What has waited longest, since when, or since help; and how often help was asked for.
  struct Longest {
    RunQueue::Oldest it;
    int64_t since = 0, cpu_then_ns = 0;
    int asked = 0;
  };
  Longest fiber, seed;
  // Of those who are gathered here: who has waited longest, and since when; when there were any
  // last.
  struct Gathered {
    RunQueue::Oldest it;
    int64_t since = 0, cpu_then_ns = 0;
    uint64_t turns = 0;
    int64_t seen_at = 0;
  };
  Gathered gathered;
  // Looks in between: when the next one is due, until when, and what the last one saw.
  struct Soon {
    int64_t at = never, until = 0, period = 0;
    uint64_t turns = 0;
  };
  Soon soon;
};

struct Monitor::LevelWatch {
  Group::Longest fiber, seed;
};

}  // namespace xylem::sched
