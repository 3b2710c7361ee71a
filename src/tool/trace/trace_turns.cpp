// Bubbles' turns: see trace_turns.hpp.
#include "tool/trace/trace_turns.hpp"

namespace xylem::tool {

using trace::event;
using trace::Role;

bool is_turn(trace::Kind kind) { return kind == event("attached") || kind == event("suspended"); }

TurnTimes::TurnTimes(const Trace& trace) {
  for (const TraceEvent& happened : trace.events) {
    const int64_t bubble = happened.of(Role::bubble);
    if (happened.kind() == event("bubble_made")) parents_[bubble] = happened.of(Role::parent);
    if (is_turn(happened.kind())) turns_.try_emplace(bubble);
  }
}

void TurnTimes::follow(const TraceEvent& happened) {
  if (!is_turn(happened.kind())) return;
  Turns& turns = turns_[happened.of(Role::bubble)];
  turns.suspended = turns.suspended_until(happened.time);
  turns.since = happened.kind() == event("suspended") ? happened.time : -1;
}

int64_t TurnTimes::suspended_until(int64_t bubble, int64_t now) const {
  if (turns_.empty()) return 0;
  constexpr int most = 1000;  // a damaged file may have rings
  for (int around = 0; around < most; ++around) {
    if (const auto found = turns_.find(bubble); found != turns_.end())
      return found->second.suspended_until(now);
    const auto parent = parents_.find(bubble);
    if (parent == parents_.end()) return 0;
    bubble = parent->second;
  }
  return 0;
}

}  // namespace xylem::tool
