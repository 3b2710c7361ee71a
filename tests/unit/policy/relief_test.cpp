// Who goes where PUs idle, and what that may cost.
#include "policy/relief.hpp"

#include <gtest/gtest.h>

#include "../../policy/drawing.hpp"

namespace xylem::policy {
namespace {

constexpr double any = 1e18;

class ReliefTest : public testing::Test {
 protected:
  Burden at(const char* level, double ns, double bring_ns = 1000) {
    return {machine_.level(level), ns, bring_ns};
  }
  Relief best(std::vector<Burden> burdens, double budget_ns = any) {
    return best_relief(machine_.levels(), machine_.nodes(), burdens, budget_ns);
  }

  drawing::Machine machine_{"node*2(core*2(pu*2))"};
};

TEST_F(ReliefTest, ABusyPuGivesToOneThatIdles) {
  const Relief found = best({at("pu0", 50e6), at("pu0", 50e6), at("pu1", 90e6), at("pu4", 90e6)});
  EXPECT_LT(found.burden, 2);
  EXPECT_EQ(found.gain_ns, 50e6);
  EXPECT_EQ(found.level, machine_.level("pu2")) << "on the node, where its memory need not come";
  EXPECT_EQ(found.cost_ns, 2560);
}

TEST_F(ReliefTest, WhereTheNodeIsFullItGoesToAnotherWithItsMemory) {
  const Relief found = best({at("pu0", 50e6), at("pu0", 50e6), at("pu1", 90e6), at("pu2", 90e6),
                             at("pu3", 90e6), at("pu4", 90e6)});
  EXPECT_LT(found.burden, 2);
  EXPECT_EQ(found.level, machine_.level("pu5"));
  EXPECT_EQ(found.cost_ns, 3560);
}

TEST_F(ReliefTest, MemoryThatStaysKeepsItsMember) {
  const Relief found = best({at("pu0", 50e6, -1), at("pu0", 50e6, -1), at("pu1", 90e6, -1),
                             at("pu2", 90e6, -1), at("pu3", 90e6, -1)});
  EXPECT_EQ(found.burden, -1);
}

TEST_F(ReliefTest, TheBudgetHolds) {
  const std::vector<Burden> burdens{at("pu0", 50e6, 9e6), at("pu0", 50e6, 5e6), at("pu1", 90e6),
                                    at("pu2", 90e6), at("pu3", 90e6)};
  EXPECT_EQ(best(burdens, 4e6).burden, -1);
  EXPECT_EQ(best(burdens, 6e6).burden, 1);
  EXPECT_EQ(best(burdens).burden, 1) << "of two that gain alike the cheaper one";
}

TEST_F(ReliefTest, LittleIsNotWorthAMove) {
  EXPECT_EQ(best({at("pu0", 95e6), at("pu0", 5e6), at("pu1", 95e6)}).burden, -1);
  EXPECT_EQ(best({at("pu0", 95e6)}).burden, -1) << "one member alone would idle elsewhere";
}

TEST_F(ReliefTest, AMemberWithTeamsGoesToALevelOfItsSize) {
  const Relief found =
      best({at("core0", 80e6), at("core0", 80e6), at("pu2", 10e6), at("node1", 40e6)});
  EXPECT_LT(found.burden, 2);
  EXPECT_EQ(found.level, machine_.level("core1"));
  EXPECT_EQ(found.gain_ns, 30e6) << "80 of each PU before, 50 of PU 2 after";
}

TEST_F(ReliefTest, TheLongestIsThatOfAPu) {
  const std::vector<Burden> burdens{at("core0", 80e6), at("pu1", 10e6), at("pu4", 30e6)};
  EXPECT_EQ(longest_ns(machine_.levels(), burdens), 50e6);
}

}  // namespace
}  // namespace xylem::policy
