// What contention groups see of each other.
#include "sched/place/open_group.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sched/ticks_of_tests.hpp"

namespace {

using xylem::sched::await_ticks;
using xylem::sched::OpenGroup;
using xylem::sched::OpenTeam;
using Teams = std::vector<OpenTeam>;

Teams seen(const OpenGroup& group) { return {group.teams().begin(), group.teams().end()}; }

TEST(OpenGroups, OneAloneSeesNobody) {
  OpenGroup group;
  EXPECT_FALSE(group.begin(8, 0, 1));
  group.end(2);
  EXPECT_FALSE(group.begin(8, 0, 3));
}

TEST(OpenGroups, TwoSeeEachOtherInOneOrder) {
  OpenGroup first, second;
  EXPECT_FALSE(first.begin(8, 0, 1));
  EXPECT_TRUE(second.begin(4, 0, 2));
  EXPECT_EQ(seen(second), (Teams{{8, 8}, {4, 4}}));
  EXPECT_EQ(second.own(), 1);
  EXPECT_TRUE(first.begin(8, 0, 3));
  EXPECT_EQ(seen(first), (Teams{{8, 8}, {4, 4}}));
  EXPECT_EQ(first.own(), 0);
}

TEST(OpenGroups, TheNumberSaysWhenOthersChanged) {
  OpenGroup first, second;
  first.begin(8, 0, 1);
  const uint32_t seen_first = second.begin(4, 0, 2);
  EXPECT_EQ(second.begin(4, 0, 3), seen_first);
  first.begin(7, 0, 4);
  EXPECT_NE(second.begin(4, 0, 5), seen_first);
}

TEST(OpenGroups, OneWhoseRegionEndedAMomentAgoIsSeen) {
  if (!await_ticks()) GTEST_SKIP() << "nobody knows how long ticks are";
  OpenGroup first, second;
  first.begin(8, 0, 1);
  first.end(2);
  EXPECT_TRUE(second.begin(8, 0, 3));
}

TEST(OpenGroups, OneThatHasNotOpenedForLongIsNotSeen) {
  await_ticks();
  OpenGroup first, second;
  first.begin(8, 0, 1);
  first.end(2);
  EXPECT_FALSE(second.begin(8, 0, UINT64_MAX / 2));
  first.begin(8, 0, UINT64_MAX / 2);
  EXPECT_TRUE(second.begin(8, 0, UINT64_MAX / 2)) << "it has";
}

TEST(OpenGroups, LoadsThatAllToldCount) {
  OpenGroup first, second;
  first.begin(4, 30, 1);
  EXPECT_TRUE(second.begin(4, 10, 2));
  EXPECT_EQ(seen(second), (Teams{{4, 30}, {4, 10}}));
  first.begin(4, 0, 3);
  EXPECT_TRUE(second.begin(4, 10, 4));
  EXPECT_EQ(seen(second), (Teams{{4, 4}, {4, 4}})) << "members count where somebody told nothing";
}

TEST(OpenGroups, OneThatHasGoneIsNotSeen) {
  OpenGroup first;
  {
    OpenGroup second;
    second.begin(8, 0, 1);
    EXPECT_TRUE(first.begin(8, 0, 2));
  }
  EXPECT_FALSE(first.begin(8, 0, 3));
}

TEST(OpenGroups, AChildOfForkSeesNobody) {
  OpenGroup first, second;
  second.begin(8, 0, 1);
  OpenGroup::forget_in_child();
  EXPECT_FALSE(first.begin(8, 0, 2));
}

}  // namespace
