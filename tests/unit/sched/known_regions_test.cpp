// What is known of regions: loads that were measured, teams that members open, loads that are told.
#include "sched/place/known_regions.hpp"

#include <gtest/gtest.h>

#include "policy/policy.hpp"
#include "sched/ticks_of_tests.hpp"
#include "synthetic_machine.hpp"

namespace xylem::sched {
namespace {

void one_region(void*) {}
void other_region(void*) {}

constexpr int64_t ms = 1'000'000;

class Measured : public ::testing::Test {
 protected:
  // The region runs once; its members use so many milliseconds. What it was placed by.
  const plan::Placement* run(void (*function)(void*), std::initializer_list<int64_t> used,
                             bool sampled = true) {
    const auto n = static_cast<int>(used.size());
    const plan::Placement* by = begin(function, n);
    size_t member = 0;
    for (const int64_t time : used) regions_.cells()[member++] += time * ms;
    samples_ += sampled;
    regions_.end(engine_, samples_, later());
    return by;
  }
  const plan::Placement* begin(void (*function)(void*), int n) {
    return regions_.begin(
        engine_,
        {.function = function, .n = n, .told = told_, .open = others_, .samples = samples_});
  }
  // PU of the member's queue, -1 if it is not on a PU's own.
  int pu_of(const plan::Placement& placement, int member) {
    for (const plan::Range& range : placement.all())
      if (member >= range.lo && member < range.hi) {
        const topo::Level& level = machine_.levels()[static_cast<size_t>(range.level)];
        return level.pu_count == 1 ? level.first_pu : -1;
      }
    return -1;
  }

  std::unique_ptr<topo::Machine> drawn_ = test::draw("node:2 core:1 pu:1");
  const topo::Machine& machine_ = *drawn_;
  Engine engine_{machine_, policy::cache};
  ToldLoads told_;
  OpenGroup others_;
  KnownRegions regions_;
  uint32_t samples_ = 0;
};

TEST_F(Measured, HeavyMembersGoApart) {
  const plan::Placement flat = engine_.flat(4);
  ASSERT_EQ(pu_of(flat, 1), 0) << "members 0 and 1 share PU 0 where nothing is known";
  EXPECT_EQ(run(one_region, {100, 100, 1, 1}), nullptr);
  const plan::Placement* by = run(one_region, {100, 100, 1, 1});
  ASSERT_NE(by, nullptr);
  EXPECT_EQ(pu_of(*by, 1), 1);
}

TEST_F(Measured, OnceDecidedItStaysUntilAnotherIsClearlyBetter) {
  run(one_region, {100, 100, 1, 1});
  const plan::Placement first = *run(one_region, {100, 101, 2, 1});
  for (int i = 0; i < 5; ++i) {
    const plan::Placement* again = run(one_region, {98 + i, 103 - i, 1, 2});
    ASSERT_NE(again, nullptr);
    for (int member = 1; member < 4; ++member)
      EXPECT_EQ(pu_of(*again, member), pu_of(first, member));
  }
  run(one_region, {1, 100, 1, 100});  // 1 and 3 lie on PU 1 now
  const plan::Placement* changed = run(one_region, {1, 100, 1, 100});
  ASSERT_NE(changed, nullptr);
  EXPECT_NE(pu_of(*changed, 1), pu_of(*changed, 3));
}

TEST_F(Measured, EvenMembersStay) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run(one_region, {50, 51, 50, 49}), nullptr);
}

TEST_F(Measured, LittleTimeDecidesNothingButAddsUp) {
  EXPECT_EQ(run(one_region, {20, 20, 0, 0}), nullptr);
  EXPECT_EQ(run(one_region, {20, 20, 0, 0}), nullptr);
  EXPECT_EQ(run(one_region, {20, 20, 0, 0}), nullptr);  // 120 ms when it ends
  EXPECT_NE(run(one_region, {20, 20, 0, 0}), nullptr);
}

TEST_F(Measured, RegionsAreKnownByFunctionAndSize) {
  run(one_region, {100, 100, 1, 1});
  EXPECT_EQ(run(other_region, {1, 1, 1, 1}), nullptr);
  EXPECT_EQ(run(one_region, {100, 1, 1}), nullptr);
  EXPECT_NE(run(one_region, {100, 100, 1, 1}), nullptr);
}

TEST_F(Measured, WithoutSamplesNothingIsRead) {
  run(one_region, {100, 100, 1, 1}, false);
  EXPECT_EQ(run(one_region, {0, 0, 0, 0}, false), nullptr);
}

TEST_F(Measured, LargeTeamsAreNotMeasured) {
  EXPECT_EQ(begin(one_region, KnownRegions::most_measured + 1), nullptr);
  EXPECT_EQ(regions_.cells(), nullptr);
  regions_.end(engine_, 1, later());
  begin(one_region, KnownRegions::most_measured);
  EXPECT_NE(regions_.cells(), nullptr);
}

TEST_F(Measured, ManyRegionsTakeNoMoreRoom) {
  using Function = void (*)(void*);
  for (uintptr_t i = 1; i <= 5000; ++i) {
    begin(reinterpret_cast<Function>(i), 4);
    regions_.end(engine_, ++samples_, later());
  }
  run(one_region, {100, 100, 1, 1});
  EXPECT_NE(run(one_region, {100, 100, 1, 1}), nullptr);
}

TEST_F(Measured, AHundredRegionsInTurnKeepTheirPlans) {
  using Function = void (*)(void*);
  const auto round = [this](bool known) {
    for (uintptr_t i = 1; i <= 100; ++i) {
      const plan::Placement* by = run(reinterpret_cast<Function>(64 * i), {100, 100, 1, 1});
      EXPECT_EQ(by ? pu_of(*by, 1) : 0, known ? 1 : 0);
    }
  };
  round(false);
  for (int i = 0; i < 3; ++i) round(true);
}

TEST_F(Measured, ToldLoadsGoBeforeMeasuredOnes) {
  run(one_region, {100, 100, 1, 1});
  told_.tell(std::vector{1}, 1000);
  const plan::Placement* by = begin(one_region, 4);
  ASSERT_NE(by, nullptr);
  EXPECT_EQ(by->why, plan::Why::told_loads);
  EXPECT_EQ(regions_.cells(), nullptr) << "nothing is to be measured";
  for (const int other : {2, 3}) EXPECT_NE(pu_of(*by, other), pu_of(*by, 1));
  regions_.end(engine_, samples_, later());
  told_.tell(std::vector{1}, 0);
  by = begin(one_region, 4);
  ASSERT_NE(by, nullptr);
  EXPECT_EQ(by->why, plan::Why::measured_loads);
}

// Regions of two members on two nodes of two PUs each.
class Nested : public ::testing::Test {
 protected:
  const plan::Placement* begin(int expected, uint32_t others = 0) {
    return regions_.begin(engine_, {.function = one_region,
                                    .n = 2,
                                    .inner = expected,
                                    .told = told_,
                                    .open = others_,
                                    .others = others});
  }
  // The region runs once; told beforehand that its members may open teams of `expected`, they open
  // teams of `inner`. Whether its members go to a node each.
  bool spreads(int expected, int inner) {
    const plan::Placement* by = begin(expected);
    const bool apart = by && by->ranges.front().level == machine_.pu_level(2);
    for (int member = 0; inner > 1 && member < 2; ++member)
      regions_.team()->opened_by(member, inner);
    regions_.end(engine_, 0, later());
    return apart;
  }
  std::unique_ptr<topo::Machine> drawn_ = test::draw("node:2 core:2 pu:1");
  const topo::Machine& machine_ = *drawn_;
  Engine engine_{machine_, policy::cache};
  ToldLoads told_;
  OpenGroup others_;
  KnownRegions regions_;
};

TEST_F(Nested, TeamsOfMembersHaveRoomFromTheSecondTimeOn) {
  EXPECT_FALSE(spreads(1, 2));
  EXPECT_TRUE(spreads(1, 2));
  EXPECT_TRUE(spreads(1, 0)) << "what it does this time nobody knows yet";
  int runs = 3;
  while (spreads(1, 0)) ASSERT_LE(++runs, 32) << "two periods";
}

TEST_F(Nested, TeamsThatMayComeHaveRoomTheFirstTime) {
  EXPECT_TRUE(spreads(2, 0));
  EXPECT_FALSE(spreads(2, 0));
}

TEST_F(Nested, TeamsOfMembersGoWhereTheTreeHasThem) {
  spreads(1, 2);
  begin(1);
  const KnownTeam* second = regions_.team()->inner(1);
  const plan::Placement* there = second->placement(2, 2);
  ASSERT_NE(there, nullptr);
  EXPECT_EQ(there->ranges.front().level, machine_.pu_level(3));
  EXPECT_EQ(second->placement(2, 1), nullptr) << "its maker is on the other node";
}

// Four members on four PUs, the first with a team of five: two threads for each PU.
TEST_F(Nested, AsManyMembersAsPusArePlacedWithTheirTeams) {
  const auto begin_four = [this] {
    return regions_.begin(engine_,
                          {.function = one_region, .n = 4, .told = told_, .open = others_});
  };
  EXPECT_EQ(begin_four(), nullptr);
  regions_.team()->opened_by(0, 5);
  regions_.end(engine_, 0, later());
  const plan::Placement* by = begin_four();
  ASSERT_NE(by, nullptr);
  for (const plan::Range& range : by->ranges)
    EXPECT_GE(range.level, machine_.pu_level(2)) << "the first node is the inner team's";
  const plan::Placement* inside = regions_.team()->inner(0)->placement(5, 0);
  ASSERT_NE(inside, nullptr);
  EXPECT_EQ(inside->ranges.back().level, machine_.pu_level(1));
}

TEST_F(Nested, LoadsThatAreToldDoNotHideTheTeams) {
  told_.tell(std::vector{0}, 10);
  told_.tell(std::vector{1}, 10);
  EXPECT_FALSE(spreads(1, 2));
  EXPECT_TRUE(spreads(1, 2));
  EXPECT_EQ(begin(1)->why, plan::Why::told_loads);
  EXPECT_NE(regions_.team()->inner(1)->placement(2, 2), nullptr);
}

TEST_F(Nested, BesideOthersATreeGetsItsPart) {
  spreads(1, 2);
  OpenGroup first;
  first.begin(2, 0, 1);
  const plan::Placement* by = begin(1, others_.begin(2, 0, 2));
  ASSERT_NE(by, nullptr);
  EXPECT_EQ(by->why, plan::Why::beside_others);
  EXPECT_EQ(by->ranges.front().level, machine_.pu_level(3)) << "both teams share the second node";
  const plan::Placement* inside = regions_.team()->inner(1)->placement(2, 3);
  ASSERT_NE(inside, nullptr);
  EXPECT_EQ(inside->why, plan::Why::local) << "all on its maker's PU";
  EXPECT_EQ(inside->whole.level, machine_.pu_level(3));
  EXPECT_FALSE(by->held || inside->held);
}

// On four PUs.
TEST_F(Nested, MembersAreHeldWhereTheLoadsThatAreToldAreEven) {
  for (const int member : {0, 1}) told_.tell(std::vector{member}, 10);
  EXPECT_TRUE(begin(1)->held) << "no plan gives one of two threads less than its load";
  for (const int member : {0, 1}) regions_.team()->opened_by(member, 2);
  regions_.end(engine_, 0, later());
  EXPECT_TRUE(begin(1)->held) << "5 for each PU";
  EXPECT_TRUE(regions_.team()->inner(1)->placement(2, 2)->held);
  regions_.end(engine_, 0, later());
}

TEST_F(Nested, MembersAreNotHeldWhereAnotherPlanWouldBeClearlyBetter) {
  for (const int member : {0, 1}) told_.tell(std::vector{member}, 10 + 90 * member);
  begin(1);
  for (const int member : {0, 1}) regions_.team()->opened_by(member, 4);
  regions_.end(engine_, 0, later());
  EXPECT_FALSE(begin(1)->held) << "`cache` gives a node 10 and the other 100";
}

// Eight teams of two on four PUs.
TEST_F(Nested, ATeamOnOnePuIsHeldThereWithItsMaker) {
  const auto begin_eight = [this] {
    return regions_.begin(engine_,
                          {.function = one_region, .n = 8, .told = told_, .open = others_});
  };
  for (int member = 0; member < 8; ++member) told_.tell(std::vector{member}, 10);
  begin_eight();
  for (int member = 0; member < 8; ++member) regions_.team()->opened_by(member, 2);
  regions_.end(engine_, 0, later());
  const plan::Placement* by = begin_eight();
  ASSERT_NE(by, nullptr);
  EXPECT_TRUE(by->held);
  const plan::Placement* inside = regions_.team()->inner(7)->placement(2, 3);
  ASSERT_NE(inside, nullptr);
  EXPECT_EQ(inside->why, plan::Why::local);
  EXPECT_TRUE(inside->held);
}

}  // namespace
}  // namespace xylem::sched
