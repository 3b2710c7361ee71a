// The machine of paper 000, Table 1, as costs: four nodes with four cores each. The table gives
// what four threads of one node read together, alone and with the other nodes busy, from their own
// node and from all four. Its numbers fix the times of four threads; those of one thread alone
// follow with the NUMA factor that is assumed here, 1.4 (the paper: 1.2 to 3; 83 and 117 ns).
#pragma once

#include "plan/costs.hpp"

namespace xylem::plan {

inline constexpr double mb_per_s = 1000;  // times nanoseconds a byte

inline Costs paper_machine() {
  constexpr double numa_factor = 1.4, threads = 4;
  const double idle_local = threads * mb_per_s / 5151, busy_local = threads * mb_per_s / 3635;
  // A quarter of what is spread over all nodes is local, where one stream in all comes while the
  // other nodes are idle.
  const double one = threads * mb_per_s / 5740 / (0.25 + 0.75 * numa_factor);
  const double elsewhere = numa_factor * one;
  // Three quarters of four threads' streams leave their node: three streams, which is between two
  // and four.
  const double busy_of_three = (threads * mb_per_s / 2257 - 0.25 * busy_local) / 0.75;
  const double busy_elsewhere = 2 * busy_of_three - elsewhere;
  const double half = (one + idle_local) / 2;

  NodeStreams node{.threads = 4};
  for (const Access access : {Access::read, Access::write}) {
    node.of(access, Memory::local, Others::idle) = {one, half, idle_local};
    node.of(access, Memory::local, Others::busy) = {one, half, busy_local};
    node.of(access, Memory::elsewhere, Others::idle) = {elsewhere, elsewhere, elsewhere};
    node.of(access, Memory::elsewhere, Others::busy) = {elsewhere, elsewhere, busy_elsewhere};
  }
  Costs costs;
  costs.nodes = 4;
  costs.move_start_ns = 120e3;  // section 3.2
  costs.move_page_ns = 11e3;
  costs.streams.assign(4, node);
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to) {
      costs.read_latency_ns.push_back(from == to ? 83 : 117);
      costs.read_ns_per_byte.push_back(from == to ? one : elsewhere);
    }
  costs.write_latency_ns = costs.read_latency_ns;
  costs.write_ns_per_byte = costs.read_ns_per_byte;
  return costs;
}

}  // namespace xylem::plan
