// Owns: measuring what access and moves cost between this machine's nodes (docs/memory.md).
#pragma once

#include <cstdint>

#include "mem/cost/costs.hpp"

namespace xylem::mem {

struct MeasureOptions {
  int64_t budget_ns = 3'000'000'000;  // pairs that it does not suffice for are estimated
  void (*progress)(int pairs_done, int pairs) = nullptr;  // by the thread that measures
};

// Measures on a kernel thread of its own, which binds itself to one processor after the other; the
// calling one sleeps meanwhile. Takes less than 16 MiB at a time, and
// costs_crowd.hpp's memory while several threads stream at once. Null, and `costs` is whole, or
// why nothing could be measured, as the second half of a sentence; `costs` is then as it was.
const char* measure_costs(const topo::Machine& machine, const MeasureOptions& options,
                          Costs& costs);

}  // namespace xylem::mem
