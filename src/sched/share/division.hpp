// Owns: the rule by which processes divide processors. A pure function: each process computes it
// from the same table and takes its own part, so nobody need be asked.
#pragma once

#include <cstdint>
#include <span>

#include "sched/share/rows.hpp"

namespace xylem::sched {

struct Claim {
  CpuMask cpus;   // that the process may use
  int needs = 0;  // how many it could use; 0: it gets none
};

// What does not divide evenly changes hands so often: long beside what a cache takes to fill. A
// turn is the machine's monotonic time over this.
inline constexpr int64_t turn_ns = 100'000'000;

// Writes each claim's processors to `own`, which has as many elements.
//
// No processor is two claims'. Processors are given one by one in rounds, to each claim in turn
// that needs more, as long as it may use one that is free: the least part is as large as it can be
// (max-min fairness), but where masks differ in ways that a greedy choice does not see. What then
// is left goes to those that need any and have least: a claim that grows finds its fair part free.
// Whom a round begins with is `turn`'s: what does not divide evenly goes to each in turn. A claim's
// processors are neighbours by number where masks allow it. A claim that needs some may get none:
// there are more claims than processors.
// Precondition: at most most_rows claims.
void divide(std::span<const Claim> claims, uint64_t turn, std::span<CpuMask> own);

}  // namespace xylem::sched
