// The monitor's polls, by a clock that the test turns: who is helped, when, and by how many.
#include "sched/worker/monitor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include "sched/fake_kernel.hpp"
#include "sched/worker/address_waits.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/poll_pace.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {
namespace {

constexpr int64_t ms = 1'000'000, slice = 10 * ms;
constexpr int pu = 1, tid = 77;
constexpr int64_t us(int64_t count) { return count * 1000; }

const topo::Machine& two_pus() {
  static const auto loaded = topo::load_machine("pu:2", true);
  return *loaded.value();
}

PoolSettings settings() {
  PoolSettings made;
  made.time_slice_ns = slice;
  made.find = [](Worker&, Order) { return Work{}; };
  made.anything_to_steal = [](Worker&) { return false; };
  return made;
}

// A worker sits at a PU, and fibers wait in its queue. The kernel threads that come never run.
class MonitorPolls : public testing::Test {
 protected:
  MonitorPolls() {
    worker_.pool = &pool_;
    worker_.serve(pu);
    worker_.tid = tid;
    pool_.slot(pu).worker = &worker_;
    pool_.slot(pu).state = SlotState::awake;
  }
  void let_wait(int fibers) {
    for (int i = 0; i < fibers; ++i) pool_.pu_queue(pu).push_ready(waiting_.emplace_back());
  }
  // One look after a millisecond, of which the worker used so much; returns how many extra workers
  // it brought. They have begun by the next poll.
  int poll(int64_t used) {
    kernel_.now += ms;
    kernel_.used[tid] += used;
    const int before = kernel_.started;
    pool_.monitor().poll(kernel_.now);
    pool_.slot(pu).starting = 0;
    return kernel_.started - before;
  }
  int polls(int count, int64_t used) {
    int brought = 0;
    for (int i = 0; i < count; ++i) brought += poll(used);
    return brought;
  }

  // A poll in between, when it is due; returns after how long that was and how many it brought.
  struct Soon {
    int64_t after;
    int brought;
    bool operator==(const Soon&) const = default;
  };
  Soon poll_soon(int64_t used) {
    const int64_t after = pool_.monitor().soon_at() - kernel_.now;
    kernel_.now += after;
    kernel_.used[tid] += used;
    pool_.each_worker(pu, [](Worker& worker) {
      if (worker.tid == 0) worker.tid = 1000;  // it has begun, and is blocked, too
    });
    const int before = kernel_.started;
    pool_.monitor().poll_soon(kernel_.now);
    pool_.slot(pu).starting = 0;
    return {after, kernel_.started - before};
  }

  bool polls_soon() { return pool_.monitor().soon_at() < kernel_.now + ms; }

  int polls_with_turns(int count, int64_t used) {
    int brought = 0;
    for (int i = 0; i < count; ++i) {
      worker_.record_turn();
      brought += poll(used);
    }
    return brought;
  }
  void run_the_first_and_let_it_wait_again() {
    Fiber& first = *pool_.pu_queue(pu).take(worker_, Order::ready_first).fiber;
    ++first.activations;
    pool_.pu_queue(pu).push_ready(first);
  }
  void gather(Fiber& fiber) {
    fiber.pinned = fiber.gathered = true;
    EntityList one;
    one.push_back(fiber);
    pool_.pu_queue(pu).push_ready(one, 1, nullptr);
    monitor().record_gathering(pu);
  }
  // So many polls of gathered fibers, when they are due; the worker ran for a part of the time.
  void poll_gathered(int polls, double part) {
    for (int i = 0; i < polls; ++i) {
      const int64_t after = std::max<int64_t>(0, monitor().next_poll_of_gathered() - kernel_.now);
      ASSERT_LE(after, us(50));
      kernel_.now += after;
      kernel_.used[tid] += static_cast<int64_t>(part * static_cast<double>(after));
      monitor().poll_gathered(kernel_.now);
    }
  }
  bool polls_gathered() { return monitor().next_poll_of_gathered() <= kernel_.now + us(50); }
  Monitor& monitor() { return pool_.monitor(); }

  test::FakeKernel kernel_;
  Pool pool_{two_pus(), settings()};
  Worker worker_;
  std::deque<Fiber> waiting_;
};

TEST(MonitorPeriod, IsHalfOfAShortSliceAndAMillisecondOtherwise) {
  EXPECT_EQ(poll_period(10 * ms), ms);
  EXPECT_EQ(poll_period(2 * ms), ms);
  EXPECT_EQ(poll_period(ms / 5), ms / 10) << "the paper's slice";
  EXPECT_EQ(poll_period(1000), ms / 20);
}

std::atomic<bool> polls_now{false};

// Where a pool retires, the poll would else meet what belongs to the next pool.
TEST(MonitorEnd, NoLookGoesOnOnceItWasWaitedFor) {
  PoolSettings slow = settings();
  slow.each_poll = [](Pool&, int64_t) {
    polls_now = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    polls_now = false;
    return true;
  };
  auto& pool = *new Pool(two_pus(), slow);  // not destroyed, as none is
  pool.open_regions = 1;
  pool.monitor().record_region();
  while (!polls_now) std::this_thread::yield();
  pool.stop();
  pool.monitor().wait_until_ended();
  EXPECT_FALSE(polls_now);
}

// A pool with an open region and a monitor that finds nothing to do; not destroyed, as none is.
class RarePolls : public testing::Test {
 protected:
  RarePolls() {
    pool_.open_regions = 1;
    monitor().record_region();
  }
  ~RarePolls() override {
    pool_.stop();
    monitor().wait_until_ended();
  }
  Monitor& monitor() { return pool_.monitor(); }
  void wait_until_rare() {
    while (!monitor().polls_rarely()) std::this_thread::yield();
  }

  Pool& pool_ = *new Pool(two_pus(), settings());
};

// They become rare again, after a while of which this thread may know nothing: so often.
TEST_F(RarePolls, EndWhereSomethingWaitsForWhichNobodyIsIdle) {
  int ended = 0;
  for (int i = 0; i < 10; ++i) {
    wait_until_rare();
    pool_.wake_for(pu, Concerns::anyone, nullptr);
    ended += !monitor().polls_rarely();
  }
  EXPECT_GT(ended, 0);
}

TEST_F(RarePolls, StayRareWhereTheOwnerComes) {
  wait_until_rare();
  for (int i = 0; i < 10; ++i) pool_.wake_for(pu, Concerns::owner_awake, nullptr);
  EXPECT_TRUE(monitor().polls_rarely());
}

TEST(MonitorEnd, WhereNoneWasStartedNobodyWaits) {
  auto& pool = *new Pool(two_pus(), settings());
  pool.stop();
  pool.monitor().wait_until_ended();
}

TEST_F(MonitorPolls, NobodyLooksAtGatheredFibersWhereThereAreNone) {
  EXPECT_FALSE(polls_gathered());
}

TEST_F(MonitorPolls, WhoIsGatheredIsLetGoOnceTheWorkerComputed) {
  Fiber fiber;
  gather(fiber);
  poll_gathered(1, 1);
  EXPECT_TRUE(fiber.gathered) << "perhaps it has just come";
  poll_gathered(1, 1);
  EXPECT_FALSE(fiber.gathered || fiber.pinned);
  EXPECT_TRUE(pool_.stealable().has(pool_.machine().pu_level(pu)));
}

TEST_F(MonitorPolls, WhoIsGatheredAndRunsAgainAndAgainStays) {
  Fiber fiber;
  gather(fiber);
  for (int i = 0; i < 100; ++i) {
    poll_gathered(1, 1);
    EXPECT_TRUE(fiber.gathered);
    pool_.pu_queue(pu).take(worker_, Order::ready_first);
    ++fiber.activations;
    gather(fiber);
  }
}

TEST_F(MonitorPolls, WhereTheWorkerHasNoProcessorWhoIsGatheredStaysForATick) {
  Fiber fiber;
  gather(fiber);
  poll_gathered(1, 0);
  poll_gathered(19, 0.4);
  EXPECT_TRUE(fiber.gathered);
  poll_gathered(1, 0.4);
  EXPECT_FALSE(fiber.gathered);
}

TEST_F(MonitorPolls, AWhileAfterTheLastGatheredFiberNobodyLooks) {
  Fiber fiber;
  gather(fiber);
  poll_gathered(1, 1);
  pool_.pu_queue(pu).take(worker_, Order::ready_first);
  poll_gathered(80, 1);
  EXPECT_TRUE(polls_gathered());
  poll_gathered(1, 1);
  EXPECT_FALSE(polls_gathered());
  gather(fiber);
  EXPECT_TRUE(polls_gathered());
}

// A post of nobody's, which everybody sees, shows whether posts were served.
TEST_F(MonitorPolls, APostIsServedOnceItsWorkerTakesNoTurn) {
  int object = 0;
  post_wake(&object);
  worker_.has_posted = true;
  monitor().record_gathering(pu);
  for (int i = 0; i < 100; ++i) {
    worker_.record_turn();
    poll_gathered(1, 1);
  }
  EXPECT_TRUE(has_posts());
  poll_gathered(1, 1);
  EXPECT_FALSE(has_posts());
}

TEST_F(MonitorPolls, NobodyIsHelpedWhereNothingWaits) { EXPECT_EQ(polls(100, 0), 0); }

TEST_F(MonitorPolls, WhereTheWorkerIsBlockedAllThatWaitAreHelpedAtOnce) {
  let_wait(3);
  EXPECT_EQ(poll(0), 0) << "the first poll sees only where things stand";
  EXPECT_EQ(poll(0), 3);
  EXPECT_EQ(monitor().reliefs(), 1u);
}

// Its waker has said so, and perhaps lost its processor before it could tell the kernel.
TEST_F(MonitorPolls, AWorkerOnItsWayFromARestIsNotBlocked) {
  let_wait(3);
  worker_.rests = 1;
  poll(0);
  EXPECT_EQ(polls(99, 0), 0);
  EXPECT_EQ(monitor().reliefs(), 0u);
}

TEST_F(MonitorPolls, WhereTheKernelDelaysTheWorkerAllAreHelpedThoughNoRegionNeedsThat) {
  let_wait(3);
  kernel_.delayed.insert(tid);
  poll(0);
  EXPECT_EQ(poll(0), 3);
  EXPECT_EQ(poll_soon(0), (Soon{us(50), 3}));
  EXPECT_EQ(monitor().reliefs(), 0u);
}

// As members that poll by usleep are, in the next round too.
TEST_F(MonitorPolls, WhoWasBlockedIsLookedAtAgainSoon) {
  let_wait(3);
  poll(0);
  EXPECT_FALSE(polls_soon());
  poll(0);
  EXPECT_EQ(poll_soon(0), (Soon{us(50), 3})) << "still blocked";
  worker_.record_turn();
  EXPECT_EQ(poll_soon(0), (Soon{us(50), 0})) << "somebody takes turns";
  kernel_.wants_a_processor.insert(tid);
  EXPECT_EQ(poll_soon(us(100)), (Soon{us(100), 0})) << "somebody computes";
  kernel_.wants_a_processor.clear();
  EXPECT_EQ(poll_soon(us(150)), (Soon{us(200), 3})) << "blocked again, though most of the time not";
}

TEST_F(MonitorPolls, WhoIsNotBlockedForAWhileIsNotLookedAtSoonAnyMore) {
  let_wait(3);
  poll(0);
  poll(0);
  const int64_t begin = kernel_.now;
  kernel_.wants_a_processor.insert(tid);
  int polls = 0;
  for (; polls_soon(); ++polls) EXPECT_EQ(poll_soon(us(500)).brought, 0);
  EXPECT_GE(kernel_.now - begin, 4 * ms);
  EXPECT_LE(kernel_.now - begin, 4 * ms + us(200));
  EXPECT_EQ(polls, 22);
}

TEST_F(MonitorPolls, WhereNothingWaitsALookSoonBringsNobody) {
  let_wait(1);
  poll(0);
  poll(0);
  pool_.pu_queue(pu).take(worker_, Order::ready_first);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(poll_soon(0).brought, 0);
}

TEST_F(MonitorPolls, WhoSpinsIsNotLookedAtSoon) {
  let_wait(20);
  polls(30, ms);
  EXPECT_FALSE(polls_soon());
}

TEST_F(MonitorPolls, ButNotMoreThan64AtOnce) {
  let_wait(200);
  poll(0);
  EXPECT_EQ(poll(0), 64);
}

TEST_F(MonitorPolls, NoMoreComeWhileSomeAreOnTheirWay) {
  let_wait(3);
  poll(0);
  pool_.slot(pu).starting = 1;
  EXPECT_EQ(poll(0), 0);
}

TEST_F(MonitorPolls, WhoWaitsForAProcessorIsNotBlocked) {
  let_wait(3);
  kernel_.wants_a_processor.insert(tid);
  poll(0);
  EXPECT_EQ(polls(99, 0), 0) << "one more would wait, too";
  EXPECT_EQ(poll(0), 1) << "ten time slices are over";
  EXPECT_EQ(pool_.monitor().reliefs(), 0u) << "the region is not one that needs help";
}

TEST_F(MonitorPolls, ASliceOfWhichOthersLeftAQuarterIsOne) {
  let_wait(3);
  kernel_.wants_a_processor.insert(tid);
  poll(ms);
  EXPECT_EQ(polls(9, ms / 4), 0);
  EXPECT_EQ(poll(ms / 4), 1);
}

TEST_F(MonitorPolls, WhereTheWorkerSpinsMoreAndMoreComeSliceBySlice) {
  let_wait(20);
  poll(ms);
  for (const int expected : {1, 2, 4, 8}) {
    EXPECT_EQ(polls(9, ms), 0);
    EXPECT_EQ(poll(ms), expected);
  }
}

TEST_F(MonitorPolls, OneComesAgainOnceNothingHasWaited) {
  let_wait(2);
  poll(ms);
  EXPECT_EQ(polls(10, ms), 1);
  while (pool_.pu_queue(pu).take(worker_, Order::ready_first)) {
  }
  EXPECT_EQ(poll(ms), 0);
  let_wait(20);
  poll(ms);
  EXPECT_EQ(polls(10, ms), 1);
}

TEST_F(MonitorPolls, WhoTakesTurnsInTheQueueIsLeftAlone) {
  let_wait(5);
  for (int i = 0; i < 100; ++i) {
    worker_.record_turn();
    if (i % 5 == 0) run_the_first_and_let_it_wait_again();
    EXPECT_EQ(poll(i % 2 ? ms : 0), 0);
    EXPECT_EQ(worker_.asked_to_serve, Serve::none);
  }
}

TEST_F(MonitorPolls, WhoPassesOverTheFirstInTheQueueIsAskedToRunItAndHelpedInTheEnd) {
  let_wait(5);
  EXPECT_EQ(polls_with_turns(10, ms), 0);
  EXPECT_EQ(worker_.asked_to_serve, Serve::none);
  EXPECT_EQ(polls_with_turns(1, ms), 0);
  EXPECT_EQ(worker_.asked_to_serve, Serve::fiber);
  EXPECT_EQ(polls_with_turns(39, ms), 0);
  EXPECT_EQ(polls_with_turns(1, ms), 1) << "after four more slices";
}

TEST_F(MonitorPolls, WhoTakesTurnsWhileOthersHaveTheProcessorIsNotAsked) {
  let_wait(5);
  polls_with_turns(99, ms / 50);
  EXPECT_EQ(worker_.asked_to_serve, Serve::none);
}

TEST_F(MonitorPolls, SeedsThatHaveWaitedAreAskedForAndBringNobody) {
  Bubble team;
  SeedRange range[2];
  team.seed_ranges = range;
  pool_.pu_queue(pu).push_fresh(team.new_seed_range(1, 3));
  pool_.pu_queue(pu).push_fresh(team.new_seed_range(3, 5));
  EXPECT_EQ(polls_with_turns(100, ms), 0);
  EXPECT_EQ(worker_.asked_to_serve, Serve::seed);
  EXPECT_EQ(pool_.next_work(worker_).index, 1) << "of the range that came first";
  EXPECT_EQ(worker_.asked_to_serve, Serve::none);
}

TEST_F(MonitorPolls, SeedsThatNobodyThereMayRunBringOne) {
  ExternalThread here, elsewhere;
  worker_.external = &here;
  Bubble team;
  SeedRange range;
  team.seed_ranges = &range;
  team.initial = &elsewhere;
  pool_.pu_queue(pu).push_fresh(team.new_seed_range(1, 3));
  EXPECT_EQ(polls_with_turns(10, ms), 0);
  EXPECT_EQ(polls_with_turns(1, ms), 1) << "after a slice";
}

// Those who take turns in a PU's own queue pass over what is left at the levels above.
TEST_F(MonitorPolls, WhatHasWaitedAtALevelIsAskedForOfAllBelow) {
  let_wait(5);
  Bubble team;
  SeedRange range;
  team.seed_ranges = &range;
  pool_.level_queue(0).push_fresh(team.new_seed_range(1, 3));
  for (int i = 0; i < 10; ++i) {
    run_the_first_and_let_it_wait_again();
    polls_with_turns(1, ms);
  }
  EXPECT_EQ(worker_.asked_to_serve, Serve::none);
  run_the_first_and_let_it_wait_again();
  polls_with_turns(1, ms);
  EXPECT_EQ(worker_.asked_to_serve, Serve::seed_above);
  EXPECT_EQ(pool_.next_work(worker_).index, 1);
  EXPECT_EQ(worker_.asked_to_serve, Serve::none);
}

// As units take turns, which are shorter than a slice or as long.
TEST_F(MonitorPolls, OfAUnitTheTimeCountsInWhichItIsAttached) {
  Group unit;
  unit.set_unit(&unit);
  const int level = two_pus().pu_level(pu);
  unit.queue.push_ready(waiting_.emplace_back());
  const auto polls_with_unit = [&](int count, bool attached) {
    Pool::Attached& list = pool_.attached(level);
    list.first = attached ? &unit : nullptr;
    list.count = attached ? 1 : 0;
    polls_with_turns(count, ms);
  };
  for (int turn = 0; turn < 3; ++turn) {
    polls_with_unit(3, true);
    polls_with_unit(20, false);
    EXPECT_EQ(worker_.asked_to_serve, Serve::none);
  }
  polls_with_unit(3, true);
  EXPECT_EQ(worker_.asked_to_serve, Serve::fiber_above);
  EXPECT_EQ(pool_.next_work(worker_).fiber, &waiting_[0]);
  polls_with_unit(0, false);
}

TEST_F(MonitorPolls, WhoIsAskedRunsTheFirstBeforeItsOwnSeeds) {
  Bubble team;
  SeedRange range;
  team.seed_ranges = &range;
  worker_.private_queue.keep(team.new_seed_range(1, 3));
  let_wait(2);
  worker_.asked_to_serve = Serve::fiber;
  EXPECT_EQ(pool_.next_work(worker_).fiber, &waiting_[0]);
  EXPECT_EQ(pool_.next_work(worker_).bubble, &team);
}

TEST_F(MonitorPolls, AWorkerThatMayNotRunWhatWaitsIsHelped) {
  let_wait(2);
  pool_.slot(pu).state = SlotState::searching;
  poll(ms);
  EXPECT_EQ(poll(ms), 2);
}

TEST_F(MonitorPolls, WhereNobodySitsSomebodyComes) {
  pool_.slot(pu).worker = nullptr;
  pool_.slot(pu).state = SlotState::absent;
  let_wait(1);
  EXPECT_EQ(poll(0), 1);
}

TEST_F(MonitorPolls, AnExternalThreadsFiberIsSetFree) {
  ExternalThread external;
  external.fiber.external = &external;
  external.fiber.external_only = true;
  pool_.pu_queue(pu).push_ready(external.fiber);
  poll(0);
  EXPECT_EQ(poll(0), 1);
  EXPECT_FALSE(external.fiber.external_only);
  EXPECT_TRUE(external.fiber.pinned) << "to the PU, for another of its workers";
}

}  // namespace
}  // namespace xylem::sched
