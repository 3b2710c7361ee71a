// From which size on a message is better copied past the caches (paper 004, section IV-C).
#pragma once

#include <cstdint>

#include "topo/machine.hpp"

namespace xylem::topo {

struct CopyThreshold {
  std::uint64_t bytes = 0;        // 0: no cache is known
  std::uint64_t cache_bytes = 0;  // of the cache that decides
  int level = -1;                 // that cache, in full_levels(); -1: none
  bool shared = false;            // by both PUs
  int processes = 0;              // that use it
};

// Cache size over twice the processes that use the cache: who copies fills it with what it reads
// and with what it writes. The cache is the largest that holds both logical PUs, else the smaller
// of the largest that hold one. processes <= 0: 2 in a shared cache, else 1.
CopyThreshold copy_threshold(const Machine& machine, int pu_a, int pu_b, int processes);

}  // namespace xylem::topo
