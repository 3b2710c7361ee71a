// How long bubbles that take turns have waited for them (docs/trace.md).
#pragma once

#include <unordered_map>

#include "tool/trace/trace_file.hpp"

namespace xylem::tool {

// True of events that tell of bubbles' turns. They come from a source of their own, on no PU.
bool is_turn(trace::Kind kind);

// Follows the events in order. A bubble takes part in the turns of the nearest one around it, or
// its own, that is attached or suspended anywhere in the trace.
class TurnTimes {
 public:
  explicit TurnTimes(const Trace& trace);

  void follow(const TraceEvent& event);
  // Nanoseconds for which the bubble has been suspended, up to a time that is not before the last
  // event.
  int64_t suspended_until(int64_t bubble, int64_t now) const;

 private:
  struct Turns {
    int64_t suspended = 0;
    int64_t since = -1;  // since when it is suspended; -1: it is not

    int64_t suspended_until(int64_t now) const {
      return suspended + (since >= 0 ? now - since : 0);
    }
  };

  std::unordered_map<int64_t, int64_t> parents_;  // of all bubbles
  std::unordered_map<int64_t, Turns> turns_;      // of those that have their own
};

}  // namespace xylem::tool
