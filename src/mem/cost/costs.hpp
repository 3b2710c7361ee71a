// Owns: what access and moves cost between nodes, measured on this machine at first use and kept in
// a file (paper 000, section 3.2: a move costs a + b times pages; its tables 1 and 3).
//
// docs/costs.md says what is measured and how. Estimates: costs_estimate.hpp; measuring:
// costs_measure.hpp; the file: costs_file.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topo/machine.hpp"

namespace xylem::mem {

struct Costs {
  int nodes = 0;
  double move_start_ns = 0;  // a: of a call that moves pages
  double move_page_ns = 0;   // b: for each page
  std::size_t page_bytes = 4096;
  // By [from * nodes + to]: processors of node `from`, memory of node `to`. All above 0.
  std::vector<double> read_latency_ns, write_latency_ns;
  std::vector<double> read_ns_per_byte, write_ns_per_byte;  // streaming, one thread
  bool measured = false;        // false: from the firmware's distances alone
  bool moves_measured = false;  // false: paper 000's numbers
  int measured_pairs = 0;       // of nodes * nodes; others are estimated from these
  int64_t measured_at = 0;      // seconds since 1970; 0: not measured

  std::size_t at(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(nodes) +
           static_cast<std::size_t>(to);
  }
  // Streaming by one thread, after the first byte's latency.
  double read_ns(int from, int to, double bytes) const;
  double write_ns(int from, int to, double bytes) const;
  double move_ns(double pages) const {
    return pages > 0 ? move_start_ns + move_page_ns * pages : 0;
  }
};

// Called once when the runtime starts, before all below. The machine and the texts stay. `file` is
// where costs are kept; "": a file in `cache_folder`; both "": nowhere.
void start_costs(const topo::Machine& machine, const char* file, const char* cache_folder);

// The costs in force: measured before and kept, else measured now, else (a drawn machine, a
// refusal) estimated from distances. Made once; any thread. May take seconds the first time, which
// the calling kernel thread sleeps through; call it with no lock held.
const Costs& costs();
// The same without measuring: what is kept or estimated. For decisions inside of regions. May read
// a file the first time.
const Costs& known_costs();

// A child of fork() has not the thread that measured: its next costs() begins anew.
void forget_measuring_in_child();

}  // namespace xylem::mem
