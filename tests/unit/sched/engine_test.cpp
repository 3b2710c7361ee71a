// Placements: what the engine makes of a policy's plan for a flat team.
#include "sched/place/engine.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace {

using xylem::plan::Placement;
using xylem::plan::Range;
using xylem::sched::Engine;
using xylem::sched::OpenTeam;

const xylem::topo::Machine& two_nodes() {
  static const auto loaded = xylem::topo::load_machine("node:2 core:2 pu:1", true);
  return *loaded.value();
}

// The level of each member's queue; -1 for one without a range.
std::vector<int> levels_of(const Placement& placement) {
  std::vector<int> levels(static_cast<size_t>(placement.n), -1);
  for (const Range& range : placement.all())
    for (int i = range.lo; i < range.hi; ++i) {
      EXPECT_EQ(levels[static_cast<size_t>(i)], -1) << "member " << i << " goes twice";
      levels[static_cast<size_t>(i)] = range.level;
    }
  return levels;
}

TEST(Placements, HeavyMembersGetPusOfTheirOwn) {
  const Engine engine(two_nodes(), xylem::policy::cache);
  const std::vector<int64_t> loads{100, 10, 10, 90, 10, 10, 10, 10};
  const std::vector<int> levels = levels_of(engine.by_loads(loads));
  EXPECT_EQ(levels[0], -1) << "member 0 runs already";
  for (size_t i = 1; i < loads.size(); ++i) {
    EXPECT_GE(levels[i], 0) << "member " << i << " goes nowhere";
    EXPECT_NE(levels[i], two_nodes().pu_level(0)) << "beside the heaviest, which runs on PU 0";
    if (i != 3) {
      EXPECT_NE(levels[i], levels[3]) << "beside the second heaviest";
    }
  }
}

TEST(Placements, MembersWithoutALoadCountOne) {
  const Engine engine(two_nodes(), xylem::policy::cache);
  const std::vector<int64_t> none{0, 0, 0, 0};
  const std::vector<int> levels = levels_of(engine.by_loads(none));
  EXPECT_EQ(levels[0], -1);
  for (int i = 1; i < 4; ++i)
    for (int j = 1; j < i; ++j)
      EXPECT_NE(levels[static_cast<size_t>(i)], levels[static_cast<size_t>(j)]);
}

TEST(Placements, MembersWithTeamsOfTheirOwnGetANodeEach) {
  const Engine engine(two_nodes(), xylem::policy::cache);
  const int on_node = two_nodes().pu_count() / 2;
  EXPECT_EQ(levels_of(engine.nested(2, on_node)),
            (std::vector<int>{-1, two_nodes().node(1).level}));
  const std::vector<int> four = levels_of(engine.nested(4, on_node / 2));
  std::set<int> pus{0};  // of member 0
  for (int i = 1; i < 4; ++i) {
    const auto& level = two_nodes().levels()[static_cast<size_t>(four[static_cast<size_t>(i)])];
    EXPECT_EQ(level.pu_count, on_node / 2) << "member " << i;
    pus.insert(level.first_pu);
  }
  EXPECT_EQ(pus.size(), 4);
}

TEST(Placements, EveryPolicyPlacesEveryMemberOnce) {
  const std::vector<int64_t> loads{5, 1, 1, 1, 1, 7};
  for (const xylem::policy::Policy* policy : xylem::policy::registry()) {
    if (policy->tick) continue;
    const Engine engine(two_nodes(), *policy);
    const std::vector<int> levels = levels_of(engine.by_loads(loads));
    for (size_t i = 1; i < levels.size(); ++i)
      EXPECT_GE(levels[i], 0) << policy->name << ": member " << i;
  }
}

const xylem::topo::Machine& sixteen() {
  static const auto loaded = xylem::topo::load_machine("node:4 core:4 pu:1", true);
  return *loaded.value();
}

// The PUs of members 1 and up.
std::vector<int> pus_of(const Placement& placement) {
  std::vector<int> pus;
  for (const Range& range : placement.all()) {
    const xylem::topo::Level& level = sixteen().levels()[static_cast<size_t>(range.level)];
    EXPECT_EQ(level.pu_count, 1);
    for (int i = range.lo; i < range.hi; ++i) pus.push_back(level.first_pu);
  }
  return pus;
}

TEST(Placements, TwoTeamsAtOnceGetHalfOfTheMachineEach) {
  for (const xylem::policy::Policy* policy : {&xylem::policy::cache, &xylem::policy::spread}) {
    const Engine engine(sixteen(), *policy);
    const std::vector<OpenTeam> teams{{8, 8}, {8, 8}};
    EXPECT_EQ(pus_of(engine.beside(teams, 0, {})), (std::vector<int>{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(pus_of(engine.beside(teams, 1, {})), (std::vector<int>{9, 10, 11, 12, 13, 14, 15}));
  }
}

TEST(Placements, ATeamWithAThirdOfTheLoadGetsAThird) {
  const Engine engine(sixteen(), xylem::policy::cache);
  const std::vector<OpenTeam> teams{{16, 320}, {16, 160}};
  const std::vector<int> first = pus_of(engine.beside(teams, 0, {}));
  const std::vector<int> second = pus_of(engine.beside(teams, 1, {}));
  EXPECT_EQ(std::set<int>(first.begin(), first.end()).size(), 10U) << "and member 0 on PU 0";
  EXPECT_EQ(first.back(), 10);
  EXPECT_EQ(second.front(), 11);
  EXPECT_EQ(second.back(), 15);
}

TEST(Placements, LoadsOfMembersCountBesideOtherTeams) {
  const Engine engine(sixteen(), xylem::policy::cache);
  const std::vector<OpenTeam> teams{{8, 8}, {4, 8}};
  const std::vector<int64_t> loads{5, 1, 1, 1};
  EXPECT_EQ(pus_of(engine.beside(teams, 1, loads)), (std::vector<int>{13, 14, 15}));
}

}  // namespace
