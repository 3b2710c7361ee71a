// Owns: Placement, the one form in which a decision on where the members of a team go reaches the
// scheduler (DESIGN section 3). Data only.
//
// Invariant: the ranges are disjoint and hold members 1 to n-1; member 0 is the maker, and runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace xylem::plan {

// Who decided, in the order in which they are asked.
enum class Why : uint8_t {
  bound,          // OMP_PLACES and OMP_PROC_BIND
  hinted,         // what the program told of its data
  group,          // the team's group is scheduled as a unit
  short_region,   // it ends before others could take part, and nobody told loads
  beside_others,  // teams of other program threads are open too
  told_loads,     // xylem_set_load
  measured_loads,
  policy,          // its plan for a flat team of that size
  kernel_threads,  // members that are kernel threads, and no plan: all PUs in turn
  local            // a team inside another one: near its maker, until somebody steals
};

// Into which queues the members go.
enum class Onto : uint8_t {
  levels,  // each range into that of its level
  group,   // that of the team's group, wherever this one is attached
  maker    // the private queue of the maker's worker
};

struct Range {
  int lo = 0, hi = 0;   // members lo to hi-1
  int level = 0;        // index in Machine::levels(); where Onto says levels
  bool pinned = false;  // taken by workers of that level only
};

struct Placement {
  Why why = Why::local;
  Onto onto = Onto::levels;
  int n = 0;             // members of the team, the maker with them; 0: nothing is decided
  bool held = false;     // members stay on the levels that they are put on: nobody steals them
  int burst_level = -1;  // where the bubble opens; -1: it does not, each member has its place
  Range whole;           // the only range, where `ranges` is empty: allocates nothing
  std::vector<Range> ranges;

  std::span<const Range> all() const {
    return ranges.empty() ? std::span<const Range>(&whole, 1) : std::span<const Range>(ranges);
  }
};

}  // namespace xylem::plan
