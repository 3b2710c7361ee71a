// Which fibers run briefly: by runs of a length that the test says. Where those go that are woken:
// with workers that never run.
#include "sched/worker/gathering.hpp"

#include <gtest/gtest.h>

#include "base/relax.hpp"
#include "sched/fake_kernel.hpp"
#include "sched/ticks_of_tests.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {
namespace {

class Runs : public testing::Test {
 protected:
  void SetUp() override {
    if (!await_ticks()) GTEST_SKIP() << "how long a run was is not known here";
  }
  // A wait in a call that comes so long after the end of the wait before.
  bool wait_after(int64_t ns) {
    fiber_.run_began = began_;
    return end_run(fiber_, began_ + os::ticks_in(ns));
  }
  int waits_until_gathered(int64_t ns, int most) {
    int count = 1;
    while (count <= most && !wait_after(ns)) ++count;
    return count;
  }

  static constexpr uint32_t began_ = 0xffffff00u;  // the low part of the counter turns over
  Fiber fiber_;
};

TEST_F(Runs, BriefOnesAgainAndAgain) {
  EXPECT_EQ(waits_until_gathered(brief_run_ns / 2, 100), brief_runs_to_gather);
}

TEST_F(Runs, LongOnesNever) { EXPECT_EQ(waits_until_gathered(3 * brief_run_ns, 100), 101); }

TEST_F(Runs, WhoComputesEverySecondTimeIsNot) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(wait_after(10));
    EXPECT_FALSE(wait_after(100 * brief_run_ns));
  }
}

TEST_F(Runs, ALongOneNowAndThenIsAllowed) {
  for (int i = 0; i < 100; ++i) wait_after(10);
  EXPECT_TRUE(wait_after(100 * brief_run_ns));
  EXPECT_FALSE(wait_after(100 * brief_run_ns));
}

TEST_F(Runs, AWaitThatGoesOnInTheSameCallEndsNone) {
  fiber_.run_began = 1'000'000;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(end_run(fiber_, 999'000));
  EXPECT_EQ(fiber_.brief_runs, 0);
}

TEST_F(Runs, AWaitOfWhichNothingIsKnownEndsNone) {
  while (!wait_after(10)) continue;
  const int before = fiber_.brief_runs;
  EXPECT_FALSE(end_run(fiber_, 0));
  EXPECT_EQ(fiber_.brief_runs, before);
}

TEST_F(Runs, WhoHasRunForLongSinceItsWaitGathersNobody) {
  const auto gathers = [this](uint8_t brief_runs, int64_t ran) {
    fiber_.brief_runs = brief_runs;
    begin_run(fiber_);
    fiber_.run_began -= static_cast<uint32_t>(os::ticks_in(ran));
    return is_in_brief_run(fiber_);
  };
  EXPECT_FALSE(gathers(brief_runs_to_gather, 2 * brief_run_ns));
  EXPECT_TRUE(gathers(most_brief_runs, 2 * brief_run_ns)) << "perhaps it was interrupted";
  EXPECT_FALSE(gathers(most_brief_runs, 2 * interrupted_run_ns));
  EXPECT_FALSE(gathers(0, 0));
}

TEST_F(Runs, ToWakeOthersIsNoPartOfOne) {
  constexpr int64_t took = 5 * interrupted_run_ns;
  const auto moved_by = [this](bool (*is_timed)(const Fiber&)) {
    const uint32_t began = fiber_.run_began;
    {
      const RunStandsStill waking(is_timed);
      const uint64_t begin = os::read_ticks_early();
      while (os::read_ticks_early() - begin < os::ticks_in(took)) base::relax();
    }
    return fiber_.run_began - began;
  };
  set_current_fiber(&fiber_);
  EXPECT_EQ(moved_by(has_waited), 0u);
  begin_run(fiber_);
  EXPECT_GE(moved_by(has_waited), os::ticks_in(took));
  EXPECT_EQ(moved_by(ran_briefly), 0u);
  fiber_.brief_runs = 1;
  EXPECT_GE(moved_by(ran_briefly), os::ticks_in(took));
  set_current_fiber(nullptr);
}

const topo::Machine& four_pus() {
  static const auto loaded = topo::load_machine("pu:4", true);
  return *loaded.value();
}

// On PU 1 a fiber in a brief run calls; another one, and the program's thread, wait elsewhere.
class Gather : public Runs {
 protected:
  void SetUp() override {
    Runs::SetUp();
    if (IsSkipped()) return;
    serve(worker_, 1);
    serve(other_, 2);
    external_.worker.external = &external_;
    external_.fiber.external = external_.fiber.initial = &external_;
    serve(external_.worker, 0);
    external_.fiber.worker = &external_.worker;
    waiter_.worker = &other_;
    waiter_.pu = 2;
    caller_.worker = &worker_;
    caller_.brief_runs = most_brief_runs;
    worker_.current = &caller_;
    set_current_fiber(&caller_);
    begin_run(caller_);
  }
  void TearDown() override { set_current_fiber(nullptr); }
  void serve(Worker& worker, int pu) {
    worker.pool = &pool_;
    worker.serve(pu);
    pool_.slot(pu).worker = &worker;
    pool_.slot(pu).state = SlotState::awake;
  }
  void gather_both() {
    EntityList both;
    both.push_back(waiter_);
    both.push_back(external_.fiber);
    gather(both, worker_);
  }
  int at(int pu) { return pool_.pu_queue(pu).count(); }

  test::FakeKernel kernel_;
  Pool& pool_ = *new Pool(four_pus(), {});
  Worker worker_, other_;
  ExternalThread external_;
  Fiber caller_, waiter_;
};

TEST_F(Gather, AtThePuOfWhoIsInABriefRun) {
  EXPECT_EQ(gathering_place(), &worker_);
  caller_.brief_runs = 0;
  EXPECT_EQ(gathering_place(), nullptr);
}

TEST_F(Gather, NotWhereAnExtraWorkerRunsTheCaller) {
  pool_.slot(1).worker = &other_;
  EXPECT_EQ(gathering_place(), nullptr);
}

TEST_F(Gather, WhoIsWokenGoesThereAndTheMonitorPolls) {
  gather_both();
  EXPECT_EQ(at(1), 1);
  EXPECT_EQ(at(0), 1) << "the program's thread stays at home, where something else runs";
  EXPECT_TRUE(waiter_.pinned && waiter_.gathered);
  EXPECT_EQ(pool_.monitor().next_poll_of_gathered(), 0);
}

TEST_F(Gather, OthersGoToTheIdleHomeOfTheProgramsThread) {
  pool_.slot(0).state = SlotState::searching;
  waiter_.initial = &external_;
  gather_both();
  EXPECT_EQ(at(0), 2);
}

TEST_F(Gather, WhoIsBoundStaysWhereItIs) {
  waiter_.pin_pu = 2;
  gather_both();
  EXPECT_EQ(at(2), 1);
  EXPECT_FALSE(waiter_.gathered);
}

TEST_F(Gather, WhoIsHeldStaysWhereItIs) {
  waiter_.held = true;
  gather_both();
  EXPECT_EQ(at(2), 1);
  EXPECT_FALSE(waiter_.gathered);
}

}  // namespace
}  // namespace xylem::sched
