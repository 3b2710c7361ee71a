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
    kind = &of_test;
  }
  static Bubble* around_it(const Bubble& bubble) {
    return static_cast<const TestBubble&>(bubble).around;
  }
  static constexpr BubbleKind of_test = {nullptr, nullptr, around_it};

  std::vector<SeedRange> storage;
  TestBubble* around = nullptr;
};

// By the rule of our own policies, where nothing is lifted.
Work steal(Worker& thief, RunQueue& victim, RunQueue& into) {
  constexpr plan::StealRule rule;
  return thief.steal_from(victim, {into, into, rule});
}

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
        &from == &into ? from.take(worker, Order::ready_first) : steal(worker, from, into);
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
  EXPECT_EQ(steal(other, queue, thief).bubble, &old_bubble);
  EXPECT_EQ(steal(other, queue, thief).bubble, &young_bubble);
}

// --- what a steal rule says of a queue (plan::Take, plan::Open) ----------------------------------

using plan::Open;
using plan::Take;

struct Stage {
  TestBubble old{8}, middle{8}, young{8};
  RunQueue queue;
  Fiber fiber;
  Worker thief;
  SeedRange& old_seeds = old.new_seed_range(1, 3);
  SeedRange& middle_seeds = middle.new_seed_range(1, 8);
  SeedRange& young_seeds = young.new_seed_range(1, 5);

  Stage() {
    middle.around = &old;
    young.around = &middle;
    for (SeedRange* seeds : {&old_seeds, &middle_seeds, &young_seeds}) queue.push_fresh(*seeds);
    queue.push_ready(fiber);
  }
  RunQueue::Stolen steal(const plan::StealRule& rule, RunQueue::LoadOf load_of = nullptr) {
    RunQueue::Stolen stolen = queue.steal(thief, true, rule, load_of);
    EXPECT_EQ(queue.check(), nullptr);
    return stolen;
  }
};

int taken(const RunQueue::Stolen& stolen) {
  return 1 + (stolen.rest ? stolen.rest->hi - stolen.rest->lo : 0);
}

TEST(StealRule, TopOfTheTreeIsTheOldest) {
  EXPECT_EQ(Stage().steal({.take = Take::top_of_tree}).work.bubble->members, 8);
  Stage stage;
  EXPECT_EQ(stage.steal({}).work.bubble, &stage.old);
  EXPECT_EQ(stage.old_seeds.hi, 2) << "half of two";
}

TEST(StealRule, MostLoadedCountsMembersOrWhatTheyWillOpen) {
  Stage by_members;
  EXPECT_EQ(by_members.steal({.take = Take::most_loaded}).work.bubble, &by_members.middle);
  Stage by_load;
  const auto heavy_top = [](const SeedRange& seeds) -> int64_t {
    return (seeds.hi - seeds.lo) * (seeds.bubble->outer() ? 1 : 100);
  };
  EXPECT_EQ(by_load.steal({.take = Take::most_loaded}, heavy_top).work.bubble, &by_load.old);
}

TEST(StealRule, AThreadAloneIsAFiberElseOneOfTheYoungest) {
  Stage stage;
  EXPECT_EQ(stage.steal({.take = Take::thread_alone}).work.fiber, &stage.fiber);
  const RunQueue::Stolen next = stage.steal({.take = Take::thread_alone});
  EXPECT_EQ(next.work.bubble, &stage.young);
  EXPECT_EQ(next.rest, nullptr);
}

TEST(StealRule, BubblesOpenAsDeepAsItSays) {
  const auto taken_by = [](Open open) {
    Stage stage;
    return taken(stage.steal({.take = Take::most_loaded, .open = open}));
  };
  EXPECT_EQ(taken_by(Open::halves), 3);
  EXPECT_EQ(taken_by(Open::never), 7);
  EXPECT_EQ(taken_by(Open::lone), 7) << "it is not alone";
  EXPECT_EQ(taken_by(Open::always), 1);
}

TEST(StealRule, ABubbleThatIsAloneOpens) {
  TestBubble bubble(8);
  RunQueue queue;
  Worker thief;
  queue.push_fresh(bubble.new_seed_range(1, 8));
  const RunQueue::Stolen stolen = queue.steal(thief, true, {.open = Open::lone});
  EXPECT_EQ(taken(stolen), 3);
  EXPECT_EQ(stolen.work.index, 5);
  EXPECT_EQ(queue.waiting(99), 4);
}

TEST(StealRule, AncestorsAreLiftedAndOthersStay) {
  Stage stage;
  RunQueue::Stolen stolen =
      stage.steal({.take = Take::most_loaded, .open = Open::halves, .leave_ancestors = false});
  ASSERT_EQ(stolen.work.bubble, &stage.middle);
  EXPECT_EQ(stolen.lifted.front(), &stage.old_seeds) << "the bubble round it";
  EXPECT_EQ(stolen.lifted.back(), &stage.middle_seeds) << "what is left of it";
  EXPECT_EQ(stage.queue.waiting(99), 4 + 1) << "the younger team and the fiber";
}

TEST(StealRule, WhatIsLiftedIsFoundOnTheLevelAndNothingIsLost) {
  Stage stage;
  RunQueue own, above;
  const plan::StealRule rule{.open = Open::always, .leave_ancestors = false};
  stage.thief.pool = nullptr;
  RunQueue::Stolen stolen = stage.steal(rule);
  EXPECT_EQ(stolen.lifted.front(), &stage.old_seeds);
  EXPECT_EQ(stage.old_seeds.hi - stage.old_seeds.lo, 1);
  EXPECT_EQ(RunQueue::claim_seed(stage.old_seeds), -1) << "it is on its way";
  above.push_fresh(stage.old_seeds);
  EXPECT_EQ(RunQueue::claim_seed(stage.old_seeds), 1);
  EXPECT_EQ(above.count(), 0);
}

TEST(RunQueue, PinnedSharesAreNotStolen) {
  TestBubble bubble(2);
  RunQueue queue, thief;
  Worker other;
  SeedRange& seeds = bubble.new_seed_range(1, 2);
  seeds.pinned = true;
  queue.push_fresh(seeds);
  EXPECT_FALSE(steal(other, queue, thief));
  Worker worker;
  EXPECT_TRUE(queue.take(worker, Order::ready_first));
}

// Of members that are held, a share and a fiber.
class Held : public ::testing::Test {
 protected:
  Held() {
    bubble_.held = fiber_.held = fiber_.pinned = true;
    SeedRange& seeds = bubble_.new_seed_range(1, 4);
    seeds.pinned = true;
    queue_.push_fresh(seeds);
    queue_.push_ready(fiber_);
  }
  TestBubble bubble_{4};
  Fiber fiber_;
  RunQueue queue_, mine_;
  Worker thief_;
};

TEST_F(Held, NobodyStealsThem) {
  EXPECT_FALSE(steal(thief_, queue_, mine_));
  EXPECT_EQ(queue_.waiting(10), 4);
  EXPECT_TRUE(queue_.take(thief_, Order::ready_first)) << "who serves the level takes them";
}

TEST_F(Held, TheyLeaveAPuThatNobodyServes) {
  EXPECT_FALSE(queue_.holds_bound());
  EntityList fibers, seeds;
  queue_.take_all_free(fibers, seeds);
  EXPECT_EQ(fibers.front(), &fiber_);
  EXPECT_FALSE(fiber_.held || fiber_.pinned) << "it is held there no more";
  ASSERT_NE(seeds.front(), nullptr);
  EXPECT_FALSE(seeds.front()->pinned);
  EXPECT_EQ(queue_.count(), 0);
}

TEST_F(Held, TheyAreStolenWhereNobodyComes) {
  queue_.let_all_go();
  for (int i = 0; i < 4; ++i) {
    Work work = steal(thief_, queue_, mine_);
    if (!work) work = mine_.take(thief_, Order::ready_first);
    EXPECT_TRUE(work);
  }
  EXPECT_EQ(queue_.count() + mine_.count(), 0);
}

TEST_F(Held, WhatIsBoundToAPuStays) {
  fiber_.pin_pu = 0;
  queue_.let_all_go();
  EXPECT_TRUE(queue_.holds_bound());
  EXPECT_TRUE(fiber_.pinned);
}

// Fibers that were gathered at a PU, behind one that anybody may take.
class Gathered : public testing::Test {
 protected:
  Gathered() {
    queue_.stealable = &stealable_;
    queue_.level = stealable_level;
    queue_.push_ready(free_);
    EntityList fibers;
    for (Fiber& fiber : gathered_) {
      fiber.pinned = fiber.gathered = true;
      fibers.push_back(fiber);
    }
    told_ = queue_.push_ready(fibers, 2, nullptr);
  }
  static const topo::Machine& machine() {
    static const auto loaded = topo::load_machine("pu:2", true);
    return *loaded.value();
  }
  Fiber* stolen() { return queue_.steal(thief_, true).work.fiber; }

  const int stealable_level = machine().pu_level(1);
  LevelBits stealable_{machine().levels()};
  RunQueue queue_;
  Fiber free_, gathered_[2];
  Concerns told_ = Concerns::anyone;
  Worker thief_;
};

TEST_F(Gathered, TheyConcernTheOwnerAloneAndNobodyStealsThem) {
  EXPECT_EQ(told_, Concerns::owner_awake);
  EXPECT_EQ(stolen(), &free_);
  EXPECT_EQ(stolen(), nullptr);
  EXPECT_EQ(queue_.count(), 2);
  EXPECT_EQ(queue_.check(), nullptr);
  EXPECT_EQ(queue_.take(thief_, Order::ready_first).fiber, &gathered_[0])
      << "who serves the PU does";
  EXPECT_FALSE(gathered_[0].gathered);
}

TEST_F(Gathered, ThievesDoNotComeForThem) {
  EXPECT_TRUE(stealable_.has(stealable_level));
  stolen();
  queue_.retract();
  EXPECT_FALSE(stealable_.has(stealable_level));
}

// Its kernel thread runs a loop meanwhile, so nobody can take it; when that has left it, all can.
TEST_F(Gathered, WhoseThreadIsBusyIsOfferedOnceItIsNot) {
  Fiber hosting;
  hosting.host.store(&thief_);
  stolen();
  queue_.push_ready(hosting);
  for (int again = 0; again < 2; ++again) {
    queue_.offer();
    queue_.retract();
    EXPECT_FALSE(stealable_.has(stealable_level));
  }
  EXPECT_EQ(queue_.check(), nullptr);
  hosting.host.store(nullptr);
  queue_.offer();
  EXPECT_TRUE(stealable_.has(stealable_level));
  EXPECT_EQ(stolen(), &hosting);
}

TEST_F(Gathered, WhoWasLetGoIsStolen) {
  stolen();
  queue_.retract();
  EXPECT_EQ(queue_.oldest_gathered().entity, &gathered_[0]);
  EXPECT_EQ(queue_.let_gathered_go(), Concerns::anyone);
  EXPECT_TRUE(stealable_.has(stealable_level));
  EXPECT_FALSE(queue_.oldest_gathered());
  EXPECT_EQ(stolen(), &gathered_[0]);
  EXPECT_EQ(stolen(), &gathered_[1]);
}

TEST_F(Gathered, NobodyIsToldWhereNoneStands) {
  for (int i = 0; i < 3; ++i) queue_.take(thief_, Order::ready_first);
  EXPECT_EQ(queue_.let_gathered_go(), Concerns::owner_awake);
}

TEST_F(Gathered, TheyLeaveAPuThatNobodyServes) {
  EXPECT_FALSE(queue_.holds_bound());
  EntityList fibers, seeds;
  queue_.take_all_free(fibers, seeds);
  EXPECT_EQ(queue_.count(), 0);
  EXPECT_FALSE(gathered_[1].pinned || gathered_[1].gathered);
}

TEST(RunQueue, AnExternalThreadsFiberWaitsForItsOwnThreadUntilFreed) {
  RunQueue queue, thief;
  ExternalThread external;
  external.fiber.external = &external;
  external.worker.external = &external;
  external.fiber.external_only = true;
  Worker other;
  queue.push_ready(external.fiber);
  EXPECT_FALSE(queue.take(other, Order::ready_first));
  EXPECT_FALSE(steal(other, queue, thief));
  EXPECT_TRUE(queue.free_an_external());
  EXPECT_EQ(queue.take(other, Order::ready_first).fiber, &external.fiber);
}

TEST(RunQueue, AnExternalThreadRunsOnlyItsOwnRegion) {
  TestBubble mine(2), theirs(2);
  RunQueue queue, thief;
  ExternalThread external;
  external.worker.external = &external;
  mine.initial = &external;
  queue.push_fresh(mine.new_seed_range(1, 2));
  queue.push_fresh(theirs.new_seed_range(1, 2));
  EXPECT_EQ(queue.take(external.worker, Order::ready_first).bubble, &mine);
  EXPECT_FALSE(queue.take(external.worker, Order::ready_first));
  EXPECT_FALSE(steal(external.worker, queue, thief));
  Worker other;
  EXPECT_EQ(queue.take(other, Order::ready_first).bubble, &theirs);
}

TEST(RunQueue, AnOwnerThatLooksIsHandedASeedBesideTheList) {
  TestBubble bubble(3);
  RunQueue queue, thief;
  Worker owner, other;
  SeedRange& first = bubble.new_seed_range(1, 2);
  EXPECT_FALSE(queue.hand_over(first)) << "the owner does not look";
  queue.owner_searches();
  EXPECT_TRUE(queue.hand_over(first));
  EXPECT_FALSE(queue.hand_over(bubble.new_seed_range(2, 3))) << "it holds one already";
  EXPECT_EQ(queue.count(), 0);
  EXPECT_EQ(queue.waiting(9), 1);
  EXPECT_FALSE(steal(other, queue, thief));
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
    queue.owner_searches();
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
  queue.owner_searches();
  EXPECT_FALSE(queue.hand_over(bubble.new_seed_range(1, 3)));
  EXPECT_FALSE(queue.hand_over(bubble.new_seed_range(3, 4))) << "the second range";
  EXPECT_EQ(queue.waiting(9), 0);
}

TEST(RunQueue, AnExternalOwnerIsHandedNothing) {
  TestBubble bubble(2);
  RunQueue queue;
  ExternalThread external;
  queue.set_external_owner(external);
  queue.owner_searches();
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
  external.fiber.external_only = true;
  external.fiber.priority = 1;
  homes.push_ready(external.fiber);
  expect_left_to_the_loop(homes, worker, yielding);
  Fiber of_external_region;
  of_external_region.priority = 1;
  EXPECT_EQ(homes.exchange(external.worker, of_external_region), &external.fiber);
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
