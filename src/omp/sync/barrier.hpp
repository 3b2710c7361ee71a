// Owns: the barrier of a team, which is also a task scheduling point.
//
// generation counts barriers passed. A barrier opens when all members have arrived, or are absent,
// and no task that a member left to it is outstanding, nor any that came from one; whoever makes
// that true (the last to arrive or to withdraw, or the end of the last task) opens it:
// generation += 1, and all waiters become ready. absent counts members that left the region
// early (cancellation): those who cannot, because their barrier is not a cancellation point, go on
// without them. Arrivals are counted in the team's combining tree; who waits in place reads one
// line, which is written once a barrier.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/sched.hpp"

namespace xylem::omp {

struct Barrier {
  // Written by who opens the barrier, read by waiters; sequentially consistent, as
  // BarrierWaiters::count is.
  std::atomic<uint32_t> generation{0};
  std::atomic<uint32_t> absent{0};  // grows, under the lock of the waiters
};

struct BarrierWaiters {
  // Members in `list`, or about to be. Written under the lock; sequentially consistent: who queues
  // a task increments TaskQueue::count and then reads it, who is about to sleep the other way
  // round.
  std::atomic<uint32_t> count{0};
  sched::WaitList list;
};

struct Team;

// A member that is at no barrier will come to none any more.
void withdraw(Team& team);

}  // namespace xylem::omp
