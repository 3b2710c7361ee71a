// Owns: the barrier of a team, which is also a task scheduling point.
//
// generation counts barriers passed. A barrier opens when arrived == n and no task of the team is
// outstanding; whoever makes that true (the last to arrive, or the end of the last task) opens it:
// under the lock arrived = 0, generation += 1, and all waiters become ready.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/wait_list.hpp"

namespace xylem::omp {

struct Barrier {
  // Incremented by each arrival (acq_rel: what a member wrote before is seen by all after).
  std::atomic<uint32_t> arrived{0};
  // Written under the lock (release), read by waiters (acquire).
  std::atomic<uint32_t> generation{0};
  fiber::WaitList waiters;
};

}  // namespace xylem::omp
