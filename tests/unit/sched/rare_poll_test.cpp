// When a poll is due: src/sched/worker/rare_poll.hpp.
#include "sched/worker/rare_poll.hpp"

#include <gtest/gtest.h>

namespace xylem::sched {
namespace {

TEST(RarePoll, IsDueWhenAskedFor) {
  RarePoll poll;
  EXPECT_FALSE(poll.due(1'000'000));
  poll.ask();
  EXPECT_TRUE(poll.due(0));
  EXPECT_TRUE(poll.begin(0));
  EXPECT_FALSE(poll.begin(1'000'000));  // one polls
  poll.end(0, 10, false);
  EXPECT_FALSE(poll.due(1'000'000));
}

TEST(RarePoll, ComesMoreAndMoreSeldomWhileSomethingIsOpen) {
  RarePoll poll;
  poll.ask();
  ASSERT_TRUE(poll.begin(0));
  poll.end(0, 10, true);
  EXPECT_FALSE(poll.due(1009));
  ASSERT_TRUE(poll.begin(1010));
  poll.end(1010, 1020, true);
  EXPECT_FALSE(poll.due(3019));
  EXPECT_TRUE(poll.due(3020));
}

TEST(RarePoll, WhatIsAskedForMeanwhileStaysDue) {
  RarePoll poll;
  poll.ask();
  ASSERT_TRUE(poll.begin(0));
  poll.ask();
  poll.end(0, 10, true);
  EXPECT_TRUE(poll.due(11));
}

}  // namespace
}  // namespace xylem::sched
