// Owns: what access and moves cost between nodes, measured on this machine at first use and kept in
// a file (paper 000, section 3.2: a move costs a + b times pages; its tables 1 and 3).
//
// docs/memory.md says what is measured and how. Estimates: costs_estimate.hpp; measuring:
// costs_measure.hpp; the file: costs_file.hpp.
#pragma once

#include "plan/costs.hpp"
#include "topo/machine.hpp"

namespace xylem::mem {

using plan::Costs;

// Called once when the runtime starts, before all below. The machine and the texts stay. `file` is
// where costs are kept; "": a file in `cache_folder`; both "": nowhere.
void start_costs(const topo::Machine& machine, const char* file, const char* cache_folder);

// The costs in force: measured before and kept, else measured now, else (a synthetic machine, a
// refusal) estimated from distances. Made once; any thread. May take seconds the first time, which
// the calling kernel thread sleeps through; call it with no lock held.
const Costs& costs();
// The same without measuring: what is kept or estimated. For decisions inside of regions. May read
// a file the first time.
const Costs& known_costs();

// A child of fork() has not the thread that measured: its next costs() begins anew.
void forget_measuring_in_child();

}  // namespace xylem::mem
