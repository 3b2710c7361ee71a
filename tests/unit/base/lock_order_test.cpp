// Locks end the program when they are taken out of their order, where that is checked.
#include <gtest/gtest.h>

#include <thread>

#include "base/check.hpp"
#include "base/spin_lock.hpp"

using xylem::base::Locked;
using xylem::base::SpinLock;

namespace {

SpinLock low{{1000, "low"}}, high{{1001, "high"}}, as_high{{1001, "as high"}};

class LockOrder : public testing::Test {
 protected:
  void SetUp() override {
    if (!xylem::base::kChecked) GTEST_SKIP() << "the order is not checked in this build";
  }
};
using LockOrderDeathTest = LockOrder;

}  // namespace

TEST_F(LockOrder, RisingRanksPass) {
  const Locked first(low);
  const Locked second(high);
}

TEST_F(LockOrder, LocksMayBeLeftInAnyOrder) {
  low.lock();
  high.lock();
  low.unlock();
  as_high.try_lock();
  high.unlock();
  as_high.unlock();
  const Locked again(low);
}

TEST_F(LockOrder, AnotherThreadsLocksDoNotCount) {
  const Locked mine(high);
  std::thread([] { const Locked others(low); }).join();
}

TEST_F(LockOrderDeathTest, AFallingRankDies) {
  const auto fall = [] {
    const Locked first(high);
    const Locked second(low);
  };
  EXPECT_DEATH(fall(), "low \\(rank 1000\\) is taken while high \\(rank 1001\\) is held");
}

TEST_F(LockOrderDeathTest, TheSameRankDies) {
  const auto both = [] {
    const Locked first(high);
    const Locked second(as_high);
  };
  EXPECT_DEATH(both(), "as high \\(rank 1001\\) is taken while high");
}

// Where nobody waits no order is needed; what is held then counts.
TEST_F(LockOrderDeathTest, ATriedLockCountsButNeedsNoOrder) {
  const auto falls = [] {
    high.try_lock();
    if (!low.try_lock()) return;
    const Locked third(as_high);
  };
  EXPECT_DEATH(falls(), "as high \\(rank 1001\\) is taken while high");
}

TEST_F(LockOrderDeathTest, AForeignUnlockDies) {
  const auto unlocks = [] {
    low.lock();
    std::thread([] { low.unlock(); }).join();
  };
  EXPECT_DEATH(unlocks(), "low is unlocked by a kernel thread that does not hold it");
}
