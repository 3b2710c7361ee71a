// When a look is due: src/sched/worker/rare_poll.hpp.
#include "sched/worker/rare_poll.hpp"

#include <gtest/gtest.h>

namespace xylem::sched {
namespace {

TEST(RarePoll, IsDueWhenAskedFor) {
  RarePoll look;
  EXPECT_FALSE(look.due(1'000'000));
  look.ask();
  EXPECT_TRUE(look.due(0));
  EXPECT_TRUE(look.begin(0));
  EXPECT_FALSE(look.begin(1'000'000));  // one looks
  look.end(0, 10, false);
  EXPECT_FALSE(look.due(1'000'000));
}

TEST(RarePoll, ComesMoreAndMoreSeldomWhileSomethingIsOpen) {
  RarePoll look;
  look.ask();
  ASSERT_TRUE(look.begin(0));
  look.end(0, 10, true);
  EXPECT_FALSE(look.due(1009));
  ASSERT_TRUE(look.begin(1010));
  look.end(1010, 1020, true);
  EXPECT_FALSE(look.due(3019));
  EXPECT_TRUE(look.due(3020));
}

TEST(RarePoll, WhatIsAskedForMeanwhileStaysDue) {
  RarePoll look;
  look.ask();
  ASSERT_TRUE(look.begin(0));
  look.ask();
  look.end(0, 10, true);
  EXPECT_TRUE(look.due(11));
}

}  // namespace
}  // namespace xylem::sched
