// Which regions get extra workers at once: those that needed the monitor's help and take less time
// so; no others, and not for good.
#include "sched/place/spinning_regions.hpp"

#include <gtest/gtest.h>

namespace xylem::sched {
namespace {

void one_region(void*) {}
void other_region(void*) {}

class Spinning : public ::testing::Test {
 protected:
  // Runs the region so often; it takes so long in turn, where the monitor helps if `needs_help`, or
  // with extra workers at once. How often it got them.
  int run(int times, uint64_t in_turn, uint64_t at_once, bool needs_help = true,
          void (*function)(void*) = one_region, int n = 4) {
    int got = 0;
    for (int i = 0; i < times; ++i) {
      const bool extras = regions_.begin(function, n, reliefs_, now_);
      now_ += extras ? at_once : in_turn;
      if (!extras && needs_help) ++reliefs_;
      regions_.end(reliefs_, now_++);
      got += extras;
    }
    return got;
  }

  SpinningRegions regions_;
  uint64_t now_ = 1'000'000;
  uint32_t reliefs_ = 0;
};

TEST_F(Spinning, ThoseThatNeededHelpGetItAtOnce) {
  EXPECT_EQ(run(1, 1000, 10), 0);
  EXPECT_EQ(run(8, 1000, 10), 8);
  EXPECT_GE(run(10'000, 1000, 10), 9'980);
}

TEST_F(Spinning, ThoseThatGainNothingAreOnlyTried) {
  EXPECT_EQ(run(1, 1000, 1000), 0);
  EXPECT_EQ(run(8, 1000, 1000), 8);
  EXPECT_EQ(run(16, 1000, 1000), 0);
  EXPECT_LE(run(100'000, 1000, 800), 400);
}

TEST_F(Spinning, ThoseThatNeededNoHelpGetNone) { EXPECT_EQ(run(1000, 1000, 10, false), 0); }

TEST_F(Spinning, ThoseThatNeedItNoMoreLoseIt) {
  run(9, 1000, 10);
  EXPECT_EQ(run(1, 1000, 10), 0);  // with help, as a trial
  EXPECT_EQ(run(32, 1000, 10, false), 32);
  EXPECT_EQ(run(1000, 5, 10, false), 0);
}

TEST_F(Spinning, AHundredInTurnAreJudgedEachByItself) {
  const auto round = [this] {
    int got = 0;
    for (uintptr_t i = 1; i <= 100; ++i)
      got += run(1, 1000, 10, true, reinterpret_cast<void (*)(void*)>(64 * i));
    return got;
  };
  EXPECT_EQ(round(), 0);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(round(), 100);
}

TEST_F(Spinning, FunctionsAndSizesAreApart) {
  run(1, 1000, 10);
  EXPECT_EQ(run(1, 1000, 10, true, other_region), 0);
  EXPECT_EQ(run(1, 1000, 10, true, one_region, 8), 0);
}

TEST_F(Spinning, ARegionThatWasNotAskedAboutTeachesNothing) {
  run(1, 1000, 10, false);
  regions_.end(reliefs_ + 1, now_);
  EXPECT_EQ(run(1, 1000, 10, false), 0);
}

}  // namespace
}  // namespace xylem::sched
