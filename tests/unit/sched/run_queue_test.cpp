// A run queue's laws: shares are split without loss, order is as promised, guests stay at home.
#include "sched/queue/run_queue.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "sched/worker/guest.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {
namespace {

struct TestBubble : Bubble {
  explicit TestBubble(int n) : storage(static_cast<size_t>(n)) {
    shares = storage.data();
    members = n;
  }
  std::vector<Share> storage;
};

TEST(RunQueue, OwnerTakesSeedsInOrder) {
  TestBubble bubble(4);
  RunQueue queue;
  Worker worker;
  queue.push_fresh(bubble.new_share(1, 4));
  for (int expected = 1; expected < 4; ++expected) {
    const Work work = queue.take(worker, Order::ready_first);
    EXPECT_EQ(work.bubble, &bubble);
    EXPECT_EQ(work.index, expected);
  }
  EXPECT_FALSE(queue.take(worker, Order::ready_first));
  EXPECT_EQ(queue.count(), 0);
}

TEST(RunQueue, PrioritiesGoFirstAndEqualsKeepTheirOrder) {
  RunQueue queue;
  Worker worker;
  constexpr int priorities[] = {0, 3, 0, -2, 3, 1, 0};
  constexpr int expected[] = {1, 4, 5, 0, 2, 6, 3};
  Fiber fibers[std::size(priorities)];
  for (size_t i = 0; i < std::size(priorities); ++i) {
    fibers[i].priority = priorities[i];
    queue.push_ready(fibers[i]);
    ASSERT_EQ(queue.check(), nullptr);
  }
  for (const int index : expected)
    EXPECT_EQ(queue.take(worker, Order::ready_first).fiber, &fibers[index]);
}

TEST(RunQueue, SharesOfHigherPriorityGoFirstAndTheLastOfEquals) {
  TestBubble low(4), high(4), equal(4);
  high.priority = equal.priority = 1;
  RunQueue queue;
  Worker worker;
  queue.push_fresh(high.new_share(1, 2));
  queue.push_fresh(equal.new_share(1, 2));
  queue.push_fresh(low.new_share(1, 2));
  const Bubble* expected[] = {&equal, &high, &low};
  for (const Bubble* bubble : expected)
    EXPECT_EQ(queue.take(worker, Order::ready_first).bubble, bubble);
}

TEST(RunQueue, ThievesSplitSharesWithoutLoss) {
  constexpr int n = 1000;
  TestBubble bubble(n);
  RunQueue queues[4];
  Worker worker;
  queues[0].push_fresh(bubble.new_share(1, n));
  std::set<int> seen;
  unsigned turn = 1;
  while (static_cast<int>(seen.size()) < n - 1) {
    turn = turn * 1664525 + 1013904223;
    RunQueue& from = queues[turn >> 30];
    RunQueue& into = queues[(turn >> 28) & 3];
    const Work work =
        &from == &into ? from.take(worker, Order::ready_first) : worker.steal_from(from, into);
    if (work) {
      EXPECT_TRUE(seen.insert(work.index).second) << "seed " << work.index << " ran twice";
    }
    ASSERT_EQ(from.check(), nullptr);
    ASSERT_EQ(into.check(), nullptr);
  }
  EXPECT_LE(bubble.shares_used.load(), n - 1);
}

TEST(RunQueue, ThiefTakesTheOldestShare) {
  TestBubble old_bubble(2), young_bubble(2);
  RunQueue queue, thief;
  Worker other;
  queue.push_fresh(old_bubble.new_share(1, 2));
  queue.push_fresh(young_bubble.new_share(1, 2));
  EXPECT_EQ(other.steal_from(queue, thief).bubble, &old_bubble);
  EXPECT_EQ(other.steal_from(queue, thief).bubble, &young_bubble);
}

TEST(RunQueue, PinnedSharesAreNotStolen) {
  TestBubble bubble(2);
  RunQueue queue, thief;
  Worker other;
  Share& share = bubble.new_share(1, 2);
  share.pinned = true;
  queue.push_fresh(share);
  EXPECT_FALSE(other.steal_from(queue, thief));
  Worker worker;
  EXPECT_TRUE(queue.take(worker, Order::ready_first));
}

TEST(RunQueue, AGuestsFiberWaitsForItsOwnThreadUntilFreed) {
  RunQueue queue, thief;
  Guest guest;
  guest.fiber.guest = &guest;
  guest.worker.guest = &guest;
  guest.fiber.home_only = true;
  Worker other;
  queue.push_ready(guest.fiber);
  EXPECT_FALSE(queue.take(other, Order::ready_first));
  EXPECT_FALSE(other.steal_from(queue, thief));
  EXPECT_TRUE(queue.free_a_guest());
  EXPECT_EQ(queue.take(other, Order::ready_first).fiber, &guest.fiber);
}

TEST(RunQueue, AGuestsThreadRunsOnlyItsOwnRegion) {
  TestBubble mine(2), theirs(2);
  RunQueue queue, thief;
  Guest guest;
  guest.worker.guest = &guest;
  mine.root = &guest;
  queue.push_fresh(mine.new_share(1, 2));
  queue.push_fresh(theirs.new_share(1, 2));
  EXPECT_EQ(queue.take(guest.worker, Order::ready_first).bubble, &mine);
  EXPECT_FALSE(queue.take(guest.worker, Order::ready_first));
  EXPECT_FALSE(guest.worker.steal_from(queue, thief));
  Worker other;
  EXPECT_EQ(queue.take(other, Order::ready_first).bubble, &theirs);
}

TEST(RunQueue, WhoYieldsGoesBehindAndTheFirstComesOut) {
  RunQueue queue;
  Worker worker;
  Fiber first, second, yielding;
  queue.push_ready(first);
  queue.push_ready(second);
  ASSERT_EQ(queue.exchange(worker, yielding), &first);
  queue.end_exchange();
  EXPECT_EQ(queue.check(), nullptr);
  EXPECT_EQ(queue.count(), 2);
  EXPECT_EQ(first.queue.load(), nullptr);
  EXPECT_EQ(queue.take_started(worker).fiber, &second);
  EXPECT_EQ(queue.take_started(worker).fiber, &yielding);
}

TEST(RunQueue, WhoYieldsKeepsThePlaceOfItsPriority) {
  RunQueue queue;
  Worker worker;
  Fiber high, low, yielding;
  high.priority = 2;
  yielding.priority = 1;
  queue.push_ready(high);
  queue.push_ready(low);
  ASSERT_EQ(queue.exchange(worker, yielding), &high);
  queue.end_exchange();
  EXPECT_EQ(queue.take_started(worker).fiber, &yielding);
  EXPECT_EQ(queue.take_started(worker).fiber, &low);
}

// Then the lock is free again, and the queue as it was.
void expect_left_to_the_loop(RunQueue& queue, const Worker& worker, Fiber& yielding) {
  const int count = queue.count();
  EXPECT_EQ(queue.exchange(worker, yielding), nullptr);
  EXPECT_EQ(queue.count(), count);
  EXPECT_EQ(queue.check(), nullptr);
  EXPECT_EQ(yielding.queue.load(), nullptr);
}

TEST(RunQueue, AYieldIsLeftToTheLoopWhileASeedWaits) {
  TestBubble bubble(2);
  RunQueue queue;
  Worker worker;
  Fiber ready, yielding;
  expect_left_to_the_loop(queue, worker, yielding);
  queue.push_fresh(bubble.new_share(1, 2));
  expect_left_to_the_loop(queue, worker, yielding);
  queue.push_ready(ready);
  expect_left_to_the_loop(queue, worker, yielding);
}

TEST(RunQueue, AYieldIsLeftToTheLoopWhereTheFirstMayNotRun) {
  RunQueue lower, homes, foreign;
  Worker worker;
  Guest guest;
  guest.fiber.guest = &guest;
  guest.worker.guest = &guest;
  Fiber ready, of_others, yielding;
  yielding.priority = 1;
  lower.push_ready(ready);
  expect_left_to_the_loop(lower, worker, yielding);
  guest.fiber.home_only = true;
  guest.fiber.priority = 1;
  homes.push_ready(guest.fiber);
  expect_left_to_the_loop(homes, worker, yielding);
  Fiber of_guests_region;
  of_guests_region.priority = 1;
  EXPECT_EQ(homes.exchange(guest.worker, of_guests_region), &guest.fiber);
  homes.end_exchange();
  of_others.priority = 1;
  foreign.push_ready(of_others);
  expect_left_to_the_loop(foreign, guest.worker, yielding);
}

TEST(RunQueue, ClaimOnlyFromShareThatStillHasSeeds) {
  TestBubble bubble(3);
  RunQueue queue;
  Share& share = bubble.new_share(1, 3);
  queue.push_fresh(share);
  EXPECT_EQ(RunQueue::claim_seed(share), 1);
  EXPECT_EQ(RunQueue::claim_seed(share), 2);
  EXPECT_EQ(RunQueue::claim_seed(share), -1);
}

TEST(RunQueue, WaitingCountsSeedsNotShares) {
  TestBubble bubble(100);
  RunQueue queue;
  queue.push_fresh(bubble.new_share(1, 100));
  EXPECT_EQ(queue.waiting(1000), 99);
  EXPECT_EQ(queue.waiting(10), 10);
}

}  // namespace
}  // namespace xylem::sched
