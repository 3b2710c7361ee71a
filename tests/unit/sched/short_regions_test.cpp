// Which regions stay with their maker: those that were always short and took less so; not for good.
#include "sched/place/short_regions.hpp"

#include <gtest/gtest.h>

#include "sched/ticks_of_tests.hpp"

namespace xylem::sched {
namespace {

void one_region(void*) {}
void other_region(void*) {}

class Short : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!await_ticks()) GTEST_SKIP() << "no steady ticks";
  }
  // Runs the region so often; it takes so many microseconds shared, or at home. How often it
  // stayed.
  int run(int times, uint64_t shared, uint64_t at_home, void (*function)(void*) = one_region) {
    int stayed = 0;
    for (int i = 0; i < times; ++i) {
      const bool stays = regions_.begin(function, 4, now_);
      now_ += us() * (stays ? at_home : shared);
      late_ += stays && regions_.overdue(now_);
      regions_.end(now_++);
      stayed += stays;
    }
    return stayed;
  }
  static uint64_t us() { return os::ticks_in(1'000'000) / 1000; }

  ShortRegions regions_{20'000};
  uint64_t now_ = 1'000'000'000;
  int late_ = 0;
};

TEST_F(Short, ThoseThatTakeLessAtHomeStay) {
  EXPECT_EQ(run(16, 5, 1), 0);
  EXPECT_EQ(run(4000, 5, 1), 4000);
  EXPECT_GE(run(100'000, 5, 1), 99'000);
  EXPECT_EQ(late_, 0);
}

TEST_F(Short, ThoseThatTakeMoreAtHomeAreOnlyTried) {
  run(16, 5, 9);
  EXPECT_EQ(run(4000, 5, 9), 16);
  EXPECT_LE(run(100'000, 5, 9), 1000);
}

TEST_F(Short, LongOnesAreNeverTried) { EXPECT_EQ(run(100'000, 41, 21), 0); }

// Shared, it took a short one's time and that of waking four workers.
TEST_F(Short, ThoseThatAreLongForTheWakingAloneStay) {
  EXPECT_EQ(run(16, 39, 1), 0);
  EXPECT_EQ(run(4000, 39, 1), 4000);
}

// ... and at home less than that, though more than a short one.
TEST_F(Short, WhatIsSoonerAtHomeThanSharedIsNoLongOne) {
  run(16, 39, 25);
  EXPECT_EQ(run(4000, 39, 25), 4000);
}

TEST_F(Short, ASingleLongOneAmongManyIsPardoned) {
  run(1000, 5, 1);
  EXPECT_EQ(run(1, 30, 60), 1);
  EXPECT_EQ(run(100, 5, 1), 100);
  EXPECT_EQ(run(1, 30, 110), 1);  // too long for that
  EXPECT_EQ(run(10, 5, 1), 0);
}

TEST_F(Short, TwoLongOnesAreNot) {
  run(1000, 5, 1);
  EXPECT_EQ(run(2, 30, 60), 2);
  EXPECT_EQ(run(10, 5, 1), 0);
}

TEST_F(Short, NoneWhereNoneIsShort) {
  regions_ = ShortRegions(0);
  EXPECT_EQ(run(1000, 1, 1), 0);
}

TEST_F(Short, EachRegionIsJudgedByItself) {
  run(1000, 5, 1);
  EXPECT_EQ(run(16, 5, 1, other_region), 0);
  EXPECT_EQ(run(1000, 5, 1), 1000);
}

TEST_F(Short, AHundredInTurnAreJudgedEachByItself) {
  const auto round = [this] {
    int stayed = 0;
    for (uintptr_t i = 1; i <= 100; ++i)
      stayed += run(1, 5, 1, reinterpret_cast<void (*)(void*)>(64 * i));
    return stayed;
  };
  for (int i = 0; i < 16; ++i) EXPECT_EQ(round(), 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(round(), 100);
}

TEST_F(Short, OneThatBecomesLongIsSharedSoonAndReturns) {
  run(1000, 5, 1);
  EXPECT_EQ(run(100, 60, 150), 1);
  EXPECT_EQ(late_, 1);
  EXPECT_GE(run(1000, 5, 1), 900);
}

// A region that is long every 40th time: each time that this was found out at home, it is shared
// for twice as long.
TEST_F(Short, OneThatIsLongNowAndThenIsSharedMoreAndMore) {
  for (int i = 0; i < 10'000; ++i) {
    run(39, 5, 1);
    run(1, 60, 120);
  }
  EXPECT_LE(late_, 3);
}

// Bound regions, for example, are not asked about, but end.
TEST_F(Short, ARegionThatWasNotAskedAboutDoesNotCount) {
  for (int i = 0; i < 100; ++i) {
    run(1, 5, 1);
    now_ += 100 * us();
    regions_.end(now_);
  }
  EXPECT_EQ(run(1000, 5, 1), 1000);
}

TEST_F(Short, WhatIsLearntIsForgottenWhenItIsNotTrueAnyMore) {
  run(5000, 5, 1);
  EXPECT_LE(run(100'000, 5, 9), 6000);
}

}  // namespace
}  // namespace xylem::sched
