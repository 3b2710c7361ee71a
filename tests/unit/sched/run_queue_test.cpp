// A run queue's laws: seed ranges are split without loss, order is as promised, external threads
// stay at home.
#include "sched/queue/run_queue.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "sched/worker/external_thread.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {
namespace {

struct TestBubble : Bubble {
  explicit TestBubble(int n) : storage(static_cast<size_t>(n)) {
    seed_ranges = storage.data();
    members = n;
  }
  std::vector<SeedRange> storage;
};

TEST(RunQueue, OwnerTakesSeedsInOrder) {
  TestBubble bubble(4);
  RunQueue queue;
  Worker worker;
  queue.push_fresh(bubble.new_seed_range(1, 4));
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
  queue.push_fresh(high.new_seed_range(1, 2));
  queue.push_fresh(equal.new_seed_range(1, 2));
  queue.push_fresh(low.new_seed_range(1, 2));
  const Bubble* expected[] = {&equal, &high, &low};
  for (const Bubble* bubble : expected)
    EXPECT_EQ(queue.take(worker, Order::ready_first).bubble, bubble);
}

TEST(RunQueue, ThievesSplitSharesWithoutLoss) {
  constexpr int n = 1000;
  TestBubble bubble(n);
  RunQueue queues[4];
  Worker worker;
  queues[0].push_fresh(bubble.new_seed_range(1, n));
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
  EXPECT_LE(bubble.seed_ranges_used.load(), n - 1);
}

TEST(RunQueue, ThiefTakesTheOldestShare) {
  TestBubble old_bubble(2), young_bubble(2);
  RunQueue queue, thief;
  Worker other;
  queue.push_fresh(old_bubble.new_seed_range(1, 2));
  queue.push_fresh(young_bubble.new_seed_range(1, 2));
  EXPECT_EQ(other.steal_from(queue, thief).bubble, &old_bubble);
  EXPECT_EQ(other.steal_from(queue, thief).bubble, &young_bubble);
}

TEST(RunQueue, PinnedSharesAreNotStolen) {
  TestBubble bubble(2);
  RunQueue queue, thief;
  Worker other;
  SeedRange& seeds = bubble.new_seed_range(1, 2);
  seeds.pinned = true;
  queue.push_fresh(seeds);
  EXPECT_FALSE(other.steal_from(queue, thief));
  Worker worker;
  EXPECT_TRUE(queue.take(worker, Order::ready_first));
}

TEST(RunQueue, AGuestsFiberWaitsForItsOwnThreadUntilFreed) {
  RunQueue queue, thief;
  ExternalThread external;
  external.fiber.external = &external;
  external.worker.external = &external;
  external.fiber.home_only = true;
  Worker other;
  queue.push_ready(external.fiber);
  EXPECT_FALSE(queue.take(other, Order::ready_first));
  EXPECT_FALSE(other.steal_from(queue, thief));
  EXPECT_TRUE(queue.free_an_external());
  EXPECT_EQ(queue.take(other, Order::ready_first).fiber, &external.fiber);
}

TEST(RunQueue, AGuestsThreadRunsOnlyItsOwnRegion) {
  TestBubble mine(2), theirs(2);
  RunQueue queue, thief;
  ExternalThread external;
  external.worker.external = &external;
  mine.initial = &external;
  queue.push_fresh(mine.new_seed_range(1, 2));
  queue.push_fresh(theirs.new_seed_range(1, 2));
  EXPECT_EQ(queue.take(external.worker, Order::ready_first).bubble, &mine);
  EXPECT_FALSE(queue.take(external.worker, Order::ready_first));
  EXPECT_FALSE(external.worker.steal_from(queue, thief));
  Worker other;
  EXPECT_EQ(queue.take(other, Order::ready_first).bubble, &theirs);
}

TEST(RunQueue, AnOwnerThatLooksIsHandedASeedBesideTheList) {
  TestBubble bubble(3);
  RunQueue queue, thief;
  Worker owner, other;
  SeedRange& first = bubble.new_seed_range(1, 2);
  EXPECT_FALSE(queue.hand_over(first)) << "the owner does not look";
  queue.owner_looks();
  EXPECT_TRUE(queue.hand_over(first));
  EXPECT_FALSE(queue.hand_over(bubble.new_seed_range(2, 3))) << "it holds one already";
  EXPECT_EQ(queue.count(), 0);
  EXPECT_EQ(queue.waiting(9), 1);
  EXPECT_FALSE(other.steal_from(queue, thief));
  const Work work = queue.take(owner, Order::ready_first);
  EXPECT_EQ(work.bubble, &bubble);
  EXPECT_EQ(work.index, 1);
  EXPECT_FALSE(queue.take(owner, Order::ready_first));
}

TEST(RunQueue, WhatWasHandedToAnOwnerThatGoesStandsInTheList) {
  for (const bool parks : {false, true}) {
    TestBubble bubble(2);
    RunQueue queue;
    Worker other;
    queue.owner_looks();
    EXPECT_TRUE(queue.hand_over(bubble.new_seed_range(1, 2)));
    if (parks)
      queue.owner_parks();
    else
      EXPECT_TRUE(queue.owner_goes()) << "others are to be told";
    EXPECT_EQ(queue.count(), 1);
    EXPECT_EQ(queue.check(), nullptr);
    EXPECT_EQ(queue.take(other, Order::ready_first).index, 1);
    EXPECT_FALSE(queue.hand_over(bubble.seed_ranges[0])) << "it is closed";
  }
}

TEST(RunQueue, OnlySingleSeedsThatHaveTheirOwnRangeAreHandedOver) {
  TestBubble bubble(5);
  RunQueue queue;
  queue.owner_looks();
  EXPECT_FALSE(queue.hand_over(bubble.new_seed_range(1, 3)));
  EXPECT_FALSE(queue.hand_over(bubble.new_seed_range(3, 4))) << "the second range";
  EXPECT_EQ(queue.waiting(9), 0);
}

TEST(RunQueue, AnExternalOwnerIsHandedNothing) {
  TestBubble bubble(2);
  RunQueue queue;
  ExternalThread external;
  queue.set_external_owner(external);
  queue.owner_looks();
  EXPECT_FALSE(queue.hand_over(bubble.new_seed_range(1, 2)));
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
  queue.push_fresh(bubble.new_seed_range(1, 2));
  expect_left_to_the_loop(queue, worker, yielding);
  queue.push_ready(ready);
  expect_left_to_the_loop(queue, worker, yielding);
}

TEST(RunQueue, AYieldIsLeftToTheLoopWhereTheFirstMayNotRun) {
  RunQueue lower, homes, foreign;
  Worker worker;
  ExternalThread external;
  external.fiber.external = &external;
  external.worker.external = &external;
  Fiber ready, of_others, yielding;
  yielding.priority = 1;
  lower.push_ready(ready);
  expect_left_to_the_loop(lower, worker, yielding);
  external.fiber.home_only = true;
  external.fiber.priority = 1;
  homes.push_ready(external.fiber);
  expect_left_to_the_loop(homes, worker, yielding);
  Fiber of_guests_region;
  of_guests_region.priority = 1;
  EXPECT_EQ(homes.exchange(external.worker, of_guests_region), &external.fiber);
  homes.end_exchange();
  of_others.priority = 1;
  foreign.push_ready(of_others);
  expect_left_to_the_loop(foreign, external.worker, yielding);
}

TEST(RunQueue, ClaimOnlyFromShareThatStillHasSeeds) {
  TestBubble bubble(3);
  RunQueue queue;
  SeedRange& seeds = bubble.new_seed_range(1, 3);
  queue.push_fresh(seeds);
  EXPECT_EQ(RunQueue::claim_seed(seeds), 1);
  EXPECT_EQ(RunQueue::claim_seed(seeds), 2);
  EXPECT_EQ(RunQueue::claim_seed(seeds), -1);
}

TEST(RunQueue, WaitingCountsSeedsNotShares) {
  TestBubble bubble(100);
  RunQueue queue;
  queue.push_fresh(bubble.new_seed_range(1, 100));
  EXPECT_EQ(queue.waiting(1000), 99);
  EXPECT_EQ(queue.waiting(10), 10);
}

}  // namespace
}  // namespace xylem::sched
