// What contention groups see of each other.
#include "sched/place/open_group.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "os/ticks.hpp"

namespace {

using xylem::plan::Range;
using xylem::sched::Engine;
using xylem::sched::OpenGroup;

const Engine& engine() {
  static const auto loaded = xylem::topo::load_machine("node:4 core:4 pu:1", true);
  static const Engine of_sixteen(*loaded.value(), xylem::policy::cache);
  return of_sixteen;
}

// The level of each member's queue but that of member 0.
std::vector<int> levels(OpenGroup& group, std::vector<int64_t> loads = {}) {
  std::vector<int> seen;
  for (const Range& range : group.placement(engine(), loads)->all()) seen.push_back(range.level);
  return seen;
}

std::vector<int> pu_levels(int from, int to) {
  std::vector<int> wanted;
  for (int pu = from; pu <= to; ++pu) wanted.push_back(engine().machine().pu_level(pu));
  return wanted;
}

TEST(OpenGroups, OneAloneSeesNobody) {
  OpenGroup group;
  EXPECT_FALSE(group.begin(8, 0, 1));
  group.end(2);
  EXPECT_FALSE(group.begin(8, 0, 3));
}

TEST(OpenGroups, TwoGetDisjointParts) {
  OpenGroup first, second;
  EXPECT_FALSE(first.begin(8, 0, 1));
  EXPECT_TRUE(second.begin(8, 0, 2));
  EXPECT_EQ(levels(second), pu_levels(9, 15));
  EXPECT_TRUE(first.begin(8, 0, 3));
  EXPECT_EQ(levels(first), pu_levels(1, 7));
}

void await_ticks() {
  xylem::os::begin_counting_ticks();
  while (xylem::os::ticks_are_steady() && xylem::os::ticks_in(1) == 0) continue;
}

TEST(OpenGroups, OneWhoseRegionEndedAMomentAgoIsSeen) {
  await_ticks();
  if (!xylem::os::ticks_are_steady()) GTEST_SKIP() << "nobody knows how long ticks are";
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
  EXPECT_EQ(levels(second), pu_levels(13, 15)) << "a quarter of the load";
  first.begin(4, 0, 3);
  EXPECT_TRUE(second.begin(4, 10, 4));
  EXPECT_EQ(levels(second).back(), pu_levels(15, 15).back());
  EXPECT_EQ(levels(second).front(), pu_levels(11, 11).front()) << "half of the members";
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
