// Writing views: sums, allowed levels, and the flat team that costs nothing.
#include "plan/view.hpp"

#include <gtest/gtest.h>

#include "../../policy/drawing.hpp"
#include "plan/check.hpp"

namespace {

namespace plan = xylem::plan;
using plan::Entity;
using plan::EntityKind;

TEST(Forest, SumsThreadsAndLoads) {
  drawing::Machine m("node*2(pu*2)");
  drawing::Tree t("A{ x*5[load=2] B{ y z[load=7] } } C[load=3]{ w }", m);
  plan::View v = t.view();
  EXPECT_FALSE(plan::check(v));
  EXPECT_EQ(v.top_count, 2);
  EXPECT_EQ(v.entity(0).threads, 7);
  EXPECT_EQ(v.entity(0).load, 5 * 2 + 1 + 7);
  EXPECT_EQ(v.entity(1).load, 3);
  EXPECT_EQ(plan::total_load(v.entity(2)), 10);
}

TEST(Forest, SharesABubblesLoadAmongThoseThatHaveNone) {
  drawing::Machine m("pu");
  drawing::Tree t(
      "A[load=100]{ x*2 B{ y } z[load=10] C[load=30]{ u v*3[load=1] } } D[load=2]{ w*4 }", m);
  plan::View v = t.view();
  EXPECT_FALSE(plan::check(v));
  auto load = [&](const char* name) { return v.entity(t.entity(name)).load; };
  EXPECT_EQ(load("x"), 20);  // (100 - 10 - 30) / 3
  EXPECT_EQ(load("y"), 20);
  EXPECT_EQ(load("B"), 20);
  EXPECT_EQ(load("u"), 27);  // C speaks for what it holds
  EXPECT_EQ(load("v"), 1);
  EXPECT_EQ(load("w"), 1) << "never nothing";
  EXPECT_EQ(load("A"), 100);
}

TEST(Forest, InheritsAndReportsNarrowing) {
  drawing::Machine m("node*2(pu*2)");
  drawing::Tree t("A[allowed=node1]{ x y[allowed=pu3] } B{ z }", m);
  plan::View v = t.view();
  EXPECT_FALSE(plan::check(v));
  EXPECT_EQ(v.entity(2).allowed, m.level("node1"));
  EXPECT_TRUE(v.entity(0).narrowed);
  EXPECT_FALSE(v.entity(1).narrowed);
  EXPECT_EQ(plan::narrowing(v, 0).level, m.level("pu3"));
  EXPECT_FALSE(plan::narrowing(v, 0).deeper);
  EXPECT_EQ(plan::narrowing(v, 1).level, -1);
}

TEST(Forest, NarrowingsMeetAtTheirCommonLevel) {
  drawing::Machine m("node*2(pu*2)");
  drawing::Tree t("A{ x[allowed=pu2] B{ y[allowed=node1] } }", m);
  plan::Narrowing narrowing = plan::narrowing(t.view(), 0);
  EXPECT_EQ(narrowing.level, m.level("node1"));
  EXPECT_TRUE(narrowing.deeper);
}

TEST(Forest, RefusesWhatIsNotBreadthFirstOrTooMuch) {
  std::array<Entity, 4> memory;
  plan::Forest forest(memory);
  Entity bubble{.kind = EntityKind::bubble};
  EXPECT_EQ(forest.add(-1, bubble), 0);
  EXPECT_EQ(forest.add(-1, {}), 1);
  EXPECT_EQ(forest.add(1, {}), -1) << "a run holds nothing";
  EXPECT_EQ(forest.add(0, bubble), 2);
  EXPECT_EQ(forest.add(-1, {}), -1) << "a top after an inner entity";
  EXPECT_EQ(forest.add(2, {}), 3);
  EXPECT_EQ(forest.add(2, {}), -1) << "full";
  EXPECT_EQ(forest.count(), 4);
}

TEST(FlatTeam, IsTwoEntitiesWhateverItsSize) {
  drawing::Machine m("node*2(pu*2)");
  std::array<Entity, 2> memory;
  plan::View v = plan::flat_team(m.levels(), memory, 100000, 3);
  EXPECT_FALSE(plan::check(v));
  EXPECT_EQ(v.entities.size(), 2U);
  EXPECT_EQ(v.entity(0).threads, 100000);
  EXPECT_EQ(v.entity(0).last_pu, 3);
}

}  // namespace
