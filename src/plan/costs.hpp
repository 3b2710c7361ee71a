// Owns: Costs: what access and moves cost between memory nodes. Data; mem/cost/ measures it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/contention.hpp"

namespace xylem::plan {

struct Costs {
  int nodes = 0;
  double move_start_ns = 0;  // a: of a call that moves pages
  double move_page_ns = 0;   // b: for each page
  std::size_t page_bytes = 4096;
  // By [from * nodes + to]: processors of node `from`, memory of node `to`. All above 0.
  std::vector<double> read_latency_ns, write_latency_ns;
  std::vector<double> read_ns_per_byte, write_ns_per_byte;  // streaming, one thread
  std::vector<NodeStreams> streams;  // by node, several threads at once; empty: not measured
  bool measured = false;             // false: from the firmware's distances alone
  bool moves_measured = false;       // false: paper 000's numbers
  int measured_pairs = 0;            // of nodes * nodes; others are estimated from these
  int64_t measured_at = 0;           // seconds since 1970; 0: not measured

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

}  // namespace xylem::plan
