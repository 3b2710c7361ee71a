// Questions about trees of levels.
#include "plan/levels.hpp"

#include <gtest/gtest.h>

#include "../../policy/drawing.hpp"

namespace {

namespace plan = xylem::plan;

TEST(Levels, FindPusAndCommonLevels) {
  drawing::Machine m("node(pu*2) node(core*2(pu*2))");
  EXPECT_EQ(m.levels()[0].pu_count, 6);
  for (int pu = 0; pu < 6; ++pu) EXPECT_EQ(plan::level_of_pu(m.levels(), pu), m.pu_level(pu));
  EXPECT_EQ(plan::level_of_pu(m.levels(), 6), -1);
  EXPECT_EQ(plan::level_of_pu(m.levels(), -1), -1);
  EXPECT_EQ(plan::common_level(m.levels(), m.pu_level(2), m.pu_level(3)), m.level("core0"));
  EXPECT_EQ(plan::common_level(m.levels(), m.pu_level(2), m.pu_level(5)), m.level("node1"));
  EXPECT_EQ(plan::common_level(m.levels(), m.pu_level(0), m.pu_level(5)), 0);
  EXPECT_EQ(plan::common_level(m.levels(), m.level("node1"), m.pu_level(5)), m.level("node1"));
}

TEST(Levels, KnowWhatLiesBelow) {
  drawing::Machine m("node(pu*2) node(core*2(pu*2))");
  EXPECT_TRUE(plan::lies_below(m.levels(), m.pu_level(3), m.level("node1")));
  EXPECT_TRUE(plan::lies_below(m.levels(), 0, 0));
  EXPECT_FALSE(plan::lies_below(m.levels(), m.level("node1"), m.pu_level(3)));
  EXPECT_FALSE(plan::lies_below(m.levels(), m.pu_level(3), m.level("node0")));
  EXPECT_EQ(plan::child_towards(m.levels(), 0, m.pu_level(3)), m.level("node1"));
  EXPECT_EQ(plan::child_towards(m.levels(), m.pu_level(3), m.pu_level(3)), -1);
  EXPECT_EQ(plan::child_towards(m.levels(), m.level("node0"), m.pu_level(3)), -1);
}

TEST(Levels, CountCoresNotHardwareThreads) {
  drawing::Machine m("node(pu*2) node(core*2(pu*2))");
  EXPECT_EQ(plan::cores_below(m.levels(), 0), 4);
  EXPECT_EQ(plan::cores_below(m.levels(), m.level("core0")), 1);
  EXPECT_EQ(plan::cores_below(m.levels(), m.pu_level(3)), 1);
}

}  // namespace
