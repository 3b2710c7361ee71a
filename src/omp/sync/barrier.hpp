// Owns: the barrier of a team, which is also a task scheduling point.
//
// generation counts barriers passed. A barrier opens when arrived + absent == n and no task that a
// member left to it is outstanding, nor any that came from one; whoever makes that true (the last
// to arrive or to withdraw, or the end of the last task) opens it: under the lock arrived = 0,
// generation += 1, and all waiters become ready. absent counts members that left the region early
// (cancellation): those who cannot, because their barrier is not a cancellation point, go on
// without them.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/sched.hpp"

namespace xylem::omp {

struct Barrier {
  // Incremented by each arrival (what a member wrote before is seen by all after), decremented
  // under the lock by who leaves a cancelled one.
  std::atomic<uint32_t> arrived{0};
  std::atomic<uint32_t> absent{0};  // grows, under the lock
  // Written under the lock (release), read by waiters (acquire).
  std::atomic<uint32_t> generation{0};
  // Members in `waiters`, or about to be. Written under the lock; sequentially consistent: who
  // queues a task increments TaskQueue::count and then reads it, who is about to sleep the other
  // way round.
  std::atomic<uint32_t> sleepers{0};
  sched::WaitList waiters;
};

struct Team;

// A member that is at no barrier will come to none any more.
void withdraw(Team& team);

}  // namespace xylem::omp
