// When a worker whose fiber is held goes to its own processor, by processors that the test writes
// in the kernel's place. Whom the monitor brings: parting_test.cpp.
#include "sched/worker/home.hpp"

#include <gtest/gtest.h>

#include "os/thread.hpp"
#include "sched/fake_kernel.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {
namespace {

constexpr int64_t ms = 1'000'000;

const topo::Machine& four_pus() {
  static const auto loaded = topo::load_machine("pu:4", true);
  return *loaded.value();
}

PoolSettings settings() {
  PoolSettings made;
  made.find = [](Worker&, Order) { return Work{}; };
  made.anything_to_steal = [](Worker&) { return false; };
  return made;
}

// The worker of PU 1 is on PU 2's processor, whose worker sleeps.
class Home : public testing::Test {
 protected:
  Home() {
    worker_.pool = &pool_;
    worker_.serve(1);
    worker_.show_thread(&processor_, 0);
    pool_.slot(2).state = SlotState::parked;
  }
  bool goes_after(int64_t ns) { return goes_home(worker_, kernel_.now += ns); }

  test::FakeKernel kernel_;
  Pool pool_{four_pus(), settings()};
  int processor_ = four_pus().pu_os_index(2);
  Worker worker_;
};

TEST_F(Home, TheFirstTimeItGoesAtOnce) { EXPECT_TRUE(goes_after(0)); }

TEST_F(Home, WhoIsTakenAwayAgainIsLeftThereForTwiceAsLongEachTime) {
  EXPECT_TRUE(goes_after(0));
  for (int64_t patience = 4 * ms; patience < 1000 * ms; patience *= 2) {
    EXPECT_FALSE(goes_after(patience - 1)) << patience;
    EXPECT_TRUE(goes_after(1)) << patience;
  }
}

TEST_F(Home, WhoWaitsLongestComesBackEachSecond) {
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(goes_after(1024 * ms));
  EXPECT_FALSE(goes_after(1023 * ms));
  EXPECT_TRUE(goes_after(1 * ms));
}

TEST_F(Home, WhoIsInAnotherWorkersWayGoesAfterFourMilliseconds) {
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(goes_after(1024 * ms));
  pool_.slot(2).state = SlotState::awake;
  EXPECT_FALSE(goes_after(4 * ms - 1));
  EXPECT_TRUE(goes_after(1));
}

TEST_F(Home, OnAProcessorOfNoPuItIsInNobodysWay) {
  EXPECT_TRUE(goes_after(0));
  EXPECT_TRUE(goes_after(4 * ms));
  processor_ = 1000;
  EXPECT_FALSE(goes_after(4 * ms));
}

TEST_F(Home, WhoRanAnythingElseSinceRunsNothingHeld) {
  EXPECT_FALSE(runs_held(worker_));
  worker_.record_held();
  EXPECT_TRUE(runs_held(worker_));
  worker_.record_turn();
  EXPECT_FALSE(runs_held(worker_));
}

// The test's thread stands for the worker's.
TEST_F(Home, WhoIsBroughtKeepsItsAffinity) {
  worker_.show_thread(&processor_, os::thread_id());
  const os::AffinityMask before = os::affinity();
  bring_home(worker_, kernel_.now);
  const os::AffinityMask after = os::affinity();
  EXPECT_EQ(after.count(), before.count());
  for (int cpu = 0; cpu < 1024; ++cpu) EXPECT_EQ(after.has(cpu), before.has(cpu)) << cpu;
}

}  // namespace
}  // namespace xylem::sched
