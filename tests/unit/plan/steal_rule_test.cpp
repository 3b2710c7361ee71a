// Orders of victims, and what a thief takes.
#include "plan/steal_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../policy/drawing.hpp"

namespace {

namespace plan = xylem::plan;

std::vector<std::string> victims(const drawing::Machine& m, int pu, plan::VictimOrder order) {
  std::vector<plan::Victim> out;
  plan::victim_order(m.levels(), pu, {.order = order}, out);
  std::vector<std::string> names;
  for (plan::Victim v : out) names.push_back(m.name(v.level));
  return names;
}

TEST(VictimOrder, NearestFirstWidensLevelByLevel) {
  drawing::Machine m("node*2(core*2(pu*2))");
  std::vector<std::string> expected = {"pu1",                    // the same core
                                       "core1", "pu2",   "pu3",  // the same node
                                       "node1", "core2", "pu4", "pu5", "core3", "pu6", "pu7"};
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
    plan::victim_order(m.levels(), pu, {}, out);
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
  plan::victim_order(m.levels(), 5, {.across_nodes = false}, inside);
  for (plan::Victim v : inside) EXPECT_GT(v.common, 0) << m.name(v.level);
  EXPECT_FALSE(inside.empty());
  EXPECT_TRUE(victims(drawing::Machine("pu"), 0, plan::VictimOrder::nearest_first).empty());
}

// Each PU is first about as often as any other.
TEST(VictimOrder, RandomDrawsEachTime) {
  drawing::Machine m("node*2(core*2(pu*2))");
  std::map<std::string, int> first;
  constexpr int draws = 7000;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<plan::Victim> out;
    plan::victim_order(m.levels(), 5, {.order = plan::VictimOrder::random}, out, draw);
    for (plan::Victim v : out) {
      if (plan::at(m.levels(), v.level).child_count > 0) continue;
      ++first[m.name(v.level)];
      break;
    }
  }
  ASSERT_EQ(first.size(), 7U) << "all but the thief's own";
  // A node is drawn, then a core, then a PU: the thief's sibling has its own core's share.
  for (const auto& [name, times] : first) {
    const double expected = name == "pu4" ? 0.25 : 0.125;
    EXPECT_NEAR(times / static_cast<double>(draws), expected, 0.03) << name;
  }
}

TEST(StealRule, SaysHowManyMembersGo) {
  using plan::Open, plan::Take;
  EXPECT_EQ(plan::taken_of({}, 1, true), 1);
  EXPECT_EQ(plan::taken_of({}, 2, true), 1);
  EXPECT_EQ(plan::taken_of({}, 7, false), 3);
  EXPECT_EQ(plan::taken_of({.open = Open::lone}, 7, true), 3);
  EXPECT_EQ(plan::taken_of({.open = Open::lone}, 7, false), 7);
  EXPECT_EQ(plan::taken_of({.open = Open::never}, 7, true), 7);
  EXPECT_EQ(plan::taken_of({.open = Open::always}, 7, true), 1);
  EXPECT_EQ(plan::taken_of({.take = Take::thread_alone}, 7, true), 1);
}

TEST(VictimOrder, ThoseOnTheNodeComeFirst) {
  drawing::Machine m("node*2(core*2(pu*2))");
  for (int pu = 0; pu < m.pu_count(); ++pu) {
    std::vector<plan::Victim> all, on_node;
    plan::victim_order(m.levels(), pu, {}, all);
    plan::victim_order(m.levels(), pu, {.across_nodes = false}, on_node);
    ASSERT_GE(all.size(), on_node.size());
    all.resize(on_node.size());
    EXPECT_EQ(all, on_node);
  }
}

// A PU that has a memory node to itself stands for the node.
TEST(VictimOrder, ANodeOfOnePuIsLeftToItself) {
  drawing::Machine m("pu*2");
  std::vector<xylem::topo::Level> levels(m.levels().begin(), m.levels().end());
  for (std::size_t pu : {1U, 2U})
    levels[pu].merged = xylem::topo::bits_of(xylem::topo::LevelKind::node, 0);
  std::vector<plan::Victim> victims;
  plan::victim_order(levels, 0, {.across_nodes = false}, victims);
  EXPECT_TRUE(victims.empty());
  plan::victim_order(m.levels(), 0, {.across_nodes = false}, victims);
  EXPECT_EQ(victims.size(), 1U) << "no nodes are one";
}

// As LevelBits has it, with one level inside.
struct OnlyOne {
  plan::Levels levels;
  int only;

  template <class Visit>
  bool each_child(int level, int first, const Visit& visit) const {
    const auto& here = plan::at(levels, level);
    for (int step = 0; step < here.child_count; ++step) {
      const int child = here.first_child + (first + step) % here.child_count;
      if (plan::lies_below(levels, only, child) && visit(child)) return true;
    }
    return false;
  }
};

// What is empty is not visited, and a thief that finds something looks no further.
TEST(VictimOrder, OnlyWhatHasSomethingIsVisited) {
  drawing::Machine m("node*2(core*2(pu*2))");
  for (int level = 0; level < static_cast<int>(m.levels().size()); ++level) {
    std::vector<plan::Victim> all, visited;
    plan::victim_order(m.levels(), 2, {}, all);
    const auto visit = [&](const plan::Victim& victim) {
      visited.push_back(victim);
      return victim.level == level;
    };
    const bool found = plan::visit_victims(m.levels(), plan::thief_at(m.levels(), 2), {},
                                           plan::Reach::all, 0, OnlyOne{m.levels(), level}, visit);
    const bool is_victim =
        std::any_of(all.begin(), all.end(), [=](plan::Victim v) { return v.level == level; });
    EXPECT_EQ(found, is_victim) << m.name(level);
    for (plan::Victim v : visited) EXPECT_TRUE(plan::lies_below(m.levels(), level, v.level));
    EXPECT_TRUE(!found || visited.back().level == level);
  }
}

}  // namespace
