// Owns: the barrier of a team, which is also a task scheduling point.
//
// generation counts barriers passed. A barrier opens when all members have arrived, or are absent,
// and no task that a member left to it is outstanding, nor any that came from one; whoever makes
// that true (the last to arrive or to withdraw, or the end of the last task) opens it:
// generation += 1, and all waiters become ready. absent counts members that left the region
// early (cancellation): those who cannot, because their barrier is not a cancellation point, go on
// without them. Arrivals are counted in the team's combining tree; who waits in place reads one
// line, which is written once a barrier.
//
// Who sleeps stands in a list, whose lock is held until it is off its stack. A team with more
// members than processors has a list for each processor, so those that sleep share it with nobody
// elsewhere; and who waits in place at that processor wakes them when it passes. Who opens the
// barrier wakes those of the lists at which nobody waits in place.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/sched.hpp"

namespace xylem::omp {

struct Barrier {
  // Written by who opens the barrier, read by waiters; sequentially consistent, as
  // BarrierSleepers::count is.
  std::atomic<uint32_t> generation{0};
  std::atomic<uint32_t> absent{0};  // grows, under the lock of Team::sleepers
};

// Members that sleep in one list. All wait for the end of one generation: who finds others there
// when it goes to sleep wakes them first.
struct BarrierSleepers {
  // In `list`, or about to be. Written under the lock; sequentially consistent: who queues a task
  // increments TaskQueue::count and then reads it, who is about to sleep the other way round.
  std::atomic<uint32_t> count{0};
  uint32_t generation = 0;  // that they wait for the end of; under the lock
  sched::WaitList list;
};

// Those of one processor, of a team with more members than there are processors.
struct alignas(64) SleepersOfPu : BarrierSleepers {
  // Who waits in place there and will wake these: for a barrier of even generation, and of odd. Who
  // has passed may wait for the next one while others have not. Sequentially consistent: who is
  // none any more polls the generation afterwards, who opens the barrier counts up and then
  // looks here.
  std::atomic<uint32_t> in_place[2] = {};
};

struct Team;

// A member that is at no barrier will come to none any more.
void withdraw(Team& team);

// Somebody sleeps at the barrier.
bool somebody_sleeps(Team& team);
// Takes one who sleeps, so that it runs a task; the caller makes it ready. Null: there is none.
sched::Thread* take_sleeper(Team& team);

}  // namespace xylem::omp
