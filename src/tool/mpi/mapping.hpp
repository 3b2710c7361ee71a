// Where each rank goes: four ways to place ranks, what each costs, and how a placement is improved.
//
// Owns: Mapping and its measures. Pure functions. Invariant of a Mapping: a place for each rank, no
// place twice.
#pragma once

#include <vector>

#include "tool/mpi/cluster.hpp"
#include "tool/mpi/communication.hpp"

namespace xylem::tool::mpi {

using Mapping = std::vector<int>;  // place of each rank

struct Measures {
  double hop_bytes = 0;      // sum over pairs of bytes times Cluster::distance
  double network_bytes = 0;  // bytes between machines
  double largest_link = 0;   // bytes over the link that has most, both ways together
};

Measures measure(const Communication& communication, const Cluster& cluster,
                 const Mapping& mapping);

// Ranks one after the other to the places of a machine, then to the next machine's ("by core").
Mapping packed(int ranks);

// Rank by rank to the next machine ("by node"); on a machine from left to right.
Mapping round_robin(int ranks, const Cluster& cluster);

// The rank that exchanges most with those placed goes where that costs least.
Mapping greedy(const Communication& communication, const Cluster& cluster);

// Swaps ranks, and moves them to free places, while that lowers hop-bytes; at most `rounds` rounds
// over all ranks.
void improve(const Communication& communication, const Cluster& cluster, Mapping& mapping,
             int rounds);

// Makes a Mapping of a proposal: of ranks that share a place all but the lowest go to the free
// place that costs them least. Places beyond the cluster count as shared.
Mapping repair(const Communication& communication, const Cluster& cluster,
               const std::vector<int>& proposal);

}  // namespace xylem::tool::mpi
