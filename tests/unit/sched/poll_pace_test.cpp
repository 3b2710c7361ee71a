// How often the monitor polls: src/sched/worker/poll_pace.hpp.
#include "sched/worker/poll_pace.hpp"

#include <gtest/gtest.h>

namespace xylem::sched {
namespace {

constexpr int64_t tick = 1000, start = 1'000'000;

// The pace of a monitor at whose polls nothing needed anything; begins after its first.
class PollPaces : public testing::Test {
 protected:
  PollPaces() : next_(pace_.next_after(now_, PollNeed::steady)) {}
  // Until the time of the poll that is planned next; returns how long that was.
  int64_t poll(PollNeed need = PollNeed::none) {
    const int64_t waited = next_ - now_;
    now_ = next_;
    next_ = pace_.next_after(now_, need);
    return waited;
  }
  void let_pass(int64_t ns) {
    for (const int64_t until = now_ + ns; now_ < until;) poll();
  }
  int64_t next_after() const { return next_ - now_; }

  PollPace pace_{tick};
  int64_t now_ = start, next_;
};

TEST_F(PollPaces, BeginsWithTwoTicks) {
  EXPECT_EQ(next_after(), 2 * tick);
  EXPECT_FALSE(pace_.is_rare());
}

TEST_F(PollPaces, GrowsWithTheTimeInWhichNothingNeededAPollUpToSixteenTicks) {
  let_pass(7 * tick);
  EXPECT_EQ(next_after(), 2 * tick);
  EXPECT_FALSE(pace_.is_rare());
  let_pass(15 * tick);
  EXPECT_GE(next_after(), 4 * tick);
  EXPECT_LE(next_after(), 8 * tick);
  EXPECT_TRUE(pace_.is_rare());
  let_pass(200 * tick);
  EXPECT_EQ(next_after(), 16 * tick);
  let_pass(10'000 * tick);
  EXPECT_EQ(next_after(), 16 * tick);
}

TEST_F(PollPaces, BeginsAnewWhereAPollWasNeeded) {
  for (const PollNeed need : {PollNeed::steady, PollNeed::soon}) {
    let_pass(200 * tick);
    poll(need);
    EXPECT_EQ(next_after(), need == PollNeed::soon ? tick : 2 * tick);
    EXPECT_FALSE(pace_.is_rare());
    let_pass(5 * tick);
    EXPECT_EQ(next_after(), 2 * tick);
  }
}

TEST_F(PollPaces, WhoEndsRarePollsMakesOneDueAtOnce) {
  let_pass(200 * tick);
  EXPECT_FALSE(pace_.was_ended());
  EXPECT_TRUE(pace_.end());
  EXPECT_FALSE(pace_.end()) << "once";
  EXPECT_TRUE(pace_.was_ended());
  now_ += tick;
  next_ = pace_.next_after(now_, PollNeed::none);
  EXPECT_FALSE(pace_.was_ended());
  EXPECT_EQ(next_after(), 2 * tick);
  let_pass(5 * tick);
  EXPECT_EQ(next_after(), 2 * tick);
}

TEST_F(PollPaces, WherePollsAreNotRareNobodyIsToTellTheMonitor) {
  EXPECT_FALSE(pace_.end());
  let_pass(200 * tick);
  poll(PollNeed::soon);
  EXPECT_FALSE(pace_.end());
  EXPECT_FALSE(pace_.was_ended());
}

}  // namespace
}  // namespace xylem::sched
