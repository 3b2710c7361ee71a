// Who has what of a machine that processes share (docs/sharing.md), as the view shows it.
//
// Owns: what a process lends and borrows, by what it has now beside what it would have if all
// needed all. Invariant: what one lends another borrows.
#pragma once

#include <string>
#include <vector>

#include "tool/top/top_watch.hpp"

namespace xylem::tool {

struct Traded {
  int cpu = 0;      // the kernel's number
  int process = 0;  // to whom, or from whom; 0: nobody who is in the table
};
struct Trade {
  std::vector<Traded> lends, borrows;
};
Trade trade_of(const SharingSeen& seen, const Sharer& sharer);

// The process that has the processor for which this PU's worker sleeps (its state is `lent`); 0:
// not known.
int borrower_of(const Measure& measure, int pu);

// The processes that share the machine with the watched one, and it; empty: none does.
std::vector<std::string> sharing_lines(const Measure& measure);

}  // namespace xylem::tool
