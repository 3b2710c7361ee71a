// Orders of victims, and what a thief takes.
#include "plan/steal_rule.hpp"

#include <gtest/gtest.h>

#include <set>

#include "../../policy/drawing.hpp"

namespace {

namespace plan = xylem::plan;

std::vector<std::string> victims(const drawing::Machine& m, int pu, plan::VictimOrder order) {
  std::vector<plan::Victim> out;
  plan::Random random(3);
  plan::victim_order(m.levels(), pu, {.order = order}, random, out);
  std::vector<std::string> names;
  for (plan::Victim v : out) names.push_back(m.name(v.level));
  return names;
}

TEST(VictimOrder, NearestFirstWidensLevelByLevel) {
  drawing::Machine m("node*2(core*2(pu*2))");
  std::vector<std::string> expected = {"pu1",                    // the same core
                                       "core1", "pu2",   "pu3",  // the same node
                                       "node1", "core2", "core3", "pu4", "pu5", "pu6", "pu7"};
  EXPECT_EQ(victims(m, 0, plan::VictimOrder::nearest_first), expected);
}

TEST(VictimOrder, ThievesSpreadOverVictims) {
  drawing::Machine m("node*2(pu*4)");
  std::set<std::string> first_far, first_near;
  for (int pu = 0; pu < 4; ++pu) {
    std::vector<std::string> order = victims(m, pu, plan::VictimOrder::nearest_first);
    ASSERT_EQ(order.size(), 3U + 5U);
    first_near.insert(order[0]);
    EXPECT_EQ(order[3], "node1");
    first_far.insert(order[4]);
  }
  EXPECT_EQ(first_near.size(), 4U);
  EXPECT_EQ(first_far.size(), 4U);
}

TEST(VictimOrder, CommonLevelsAreRightAndWiden) {
  drawing::Machine m("node(pu) node(core*2(pu*3)) node(pu*2)");
  for (int pu = 0; pu < m.pu_count(); ++pu) {
    std::vector<plan::Victim> out;
    plan::Random random(1);
    plan::victim_order(m.levels(), pu, {}, random, out);
    int last = static_cast<int>(m.levels().size());
    std::set<int> seen;
    for (plan::Victim v : out) {
      EXPECT_EQ(v.common, plan::common_level(m.levels(), v.level, m.pu_level(pu)));
      EXPECT_LE(v.common, last);
      last = v.common;
      EXPECT_TRUE(seen.insert(v.level).second) << "twice";
      EXPECT_FALSE(plan::lies_below(m.levels(), m.pu_level(pu), v.level)) << "its own";
    }
    // Every queue but the thief's own and those above it.
    std::size_t own = 0;
    for (int l = m.pu_level(pu); l >= 0; l = plan::at(m.levels(), l).parent) ++own;
    EXPECT_EQ(seen.size() + own, m.levels().size());
  }
}

TEST(VictimOrder, RandomIsAPermutationAndNoneIsEmpty) {
  drawing::Machine m("node*2(core*2(pu*2))");
  std::vector<std::string> near = victims(m, 5, plan::VictimOrder::nearest_first);
  std::vector<std::string> random = victims(m, 5, plan::VictimOrder::random);
  EXPECT_NE(near, random);
  EXPECT_EQ(std::multiset<std::string>(near.begin(), near.end()),
            std::multiset<std::string>(random.begin(), random.end()));
  EXPECT_TRUE(victims(m, 5, plan::VictimOrder::none).empty());
  std::vector<plan::Victim> inside;
  plan::Random lot(1);
  plan::victim_order(m.levels(), 5, {.across_nodes = false}, lot, inside);
  for (plan::Victim v : inside) EXPECT_GT(v.common, 0) << m.name(v.level);
  EXPECT_FALSE(inside.empty());
  EXPECT_TRUE(victims(drawing::Machine("pu"), 0, plan::VictimOrder::nearest_first).empty());
}

TEST(VictimOrder, ThoseOnTheNodeComeFirst) {
  drawing::Machine m("node*2(core*2(pu*2))");
  plan::Random lot(1);
  for (int pu = 0; pu < m.pu_count(); ++pu) {
    std::vector<plan::Victim> all, on_node;
    plan::victim_order(m.levels(), pu, {}, lot, all);
    plan::victim_order(m.levels(), pu, {.across_nodes = false}, lot, on_node);
    const auto near = static_cast<std::size_t>(plan::victims_on_node(m.levels(), pu, {}, all));
    all.resize(near);
    EXPECT_EQ(all, on_node);
  }
  drawing::Machine one("core*2(pu*2)");
  std::vector<plan::Victim> all;
  plan::victim_order(one.levels(), 0, {}, lot, all);
  EXPECT_EQ(plan::victims_on_node(one.levels(), 0, {}, all), static_cast<int>(all.size()));
}

}  // namespace
