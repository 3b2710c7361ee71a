// Loads that the program tells, at every level of the tree.
#include "sched/place/told_loads.hpp"

#include <gtest/gtest.h>

namespace xylem::sched {
namespace {

void tell(ToldLoads& loads, std::vector<int> path, int64_t load) { loads.tell(path, load); }

plan::TeamTree two_inner() {
  return {{.n = 3}, {.outer = 0, .maker = 0, .n = 2}, {.outer = 0, .maker = 2, .n = 4}};
}

TEST(ToldLoads, NothingIsWrittenWhereNothingWasTold) {
  const ToldLoads loads;
  plan::TeamTree tree = two_inner();
  EXPECT_EQ(loads.version(), 0U);
  EXPECT_FALSE(loads.write_to(tree));
  EXPECT_TRUE(tree[0].loads.empty());
  EXPECT_EQ(loads.of_team(3), 0);
}

TEST(ToldLoads, EachTeamGetsItsMembers) {
  ToldLoads loads;
  tell(loads, {1}, 50);
  tell(loads, {2, 3}, 7);
  plan::TeamTree tree = two_inner();
  EXPECT_TRUE(loads.write_to(tree));
  EXPECT_EQ(tree[0].loads, (std::vector<int64_t>{0, 50, 0}));
  EXPECT_TRUE(tree[1].loads.empty()) << "of none of its members";
  EXPECT_EQ(tree[2].loads, (std::vector<int64_t>{0, 0, 0, 7}));
  EXPECT_EQ(loads.of_team(3), 1 + 50 + 1);
}

TEST(ToldLoads, MembersThatDoNotComeDoNotCount) {
  ToldLoads loads;
  tell(loads, {5}, 50);
  plan::TeamTree tree = two_inner();
  EXPECT_FALSE(loads.write_to(tree));
  EXPECT_EQ(loads.of_team(3), 0);
}

TEST(ToldLoads, TheVersionSaysWhenSomethingChanged) {
  ToldLoads loads;
  tell(loads, {0}, 5);
  const uint32_t first = loads.version();
  EXPECT_NE(first, 0U);
  tell(loads, {0}, 5);
  EXPECT_EQ(loads.version(), first);
  tell(loads, {0}, -5);
  EXPECT_NE(loads.version(), first);
  plan::TeamTree tree = two_inner();
  EXPECT_FALSE(loads.write_to(tree)) << "less than nothing is forgotten, as 0";
}

}  // namespace
}  // namespace xylem::sched
