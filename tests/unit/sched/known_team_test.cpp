// Which teams a region is known to open.
#include "sched/place/known_team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <deque>
#include <thread>

#include "sched/ticks_of_tests.hpp"

namespace xylem::sched {
namespace {

constexpr int period = 16;  // regions

// The makers' numbers and the sizes of all teams but the outermost.
std::vector<std::pair<int, int>> teams_of(KnownTree& tree, int guess = 1) {
  std::vector<KnownTeam*> behind;
  std::vector<std::pair<int, int>> teams;
  for (const plan::TreeTeam& team : tree.shape(guess, behind))
    if (team.outer >= 0) teams.emplace_back(team.maker, team.n);
  EXPECT_EQ(behind.size(), teams.size() + 1);
  return teams;
}
using Teams = std::vector<std::pair<int, int>>;

TEST(KnownTrees, WhatWasOpenedIsKnown) {
  KnownTree tree(4);
  KnownTeam* second = tree.top().opened_by(1, 3);
  ASSERT_NE(second, nullptr);
  second->opened_by(2, 5);
  EXPECT_TRUE(tree.ended(later()));
  EXPECT_EQ(teams_of(tree), (Teams{{1, 3}, {2, 5}}));
  EXPECT_EQ(tree.top().opened_by(1, 3), second);
  EXPECT_EQ(second->opened_by(2, 5), second->inner(2));
  EXPECT_FALSE(tree.ended(later())) << "all is as it was";
}

TEST(KnownTrees, MembersThatOpenTeamsAtOnceAreAllKnown) {
  constexpr int members = 4, rounds = 200;
  std::deque<KnownTree> trees;
  for (int i = 0; i < rounds; ++i) trees.emplace_back(members);
  std::barrier together(members);
  std::vector<std::jthread> openers;
  for (int member = 0; member < members; ++member)
    openers.emplace_back([&, member] {
      for (KnownTree& tree : trees) {
        together.arrive_and_wait();
        tree.top().opened_by(member, 2 + member);
      }
    });
  openers.clear();
  for (KnownTree& tree : trees) EXPECT_EQ(teams_of(tree), (Teams{{0, 2}, {1, 3}, {2, 4}, {3, 5}}));
}

TEST(KnownTrees, TheLargestTeamCounts) {
  KnownTree tree(2);
  tree.top().opened_by(0, 3);
  tree.top().opened_by(0, 5);
  KnownTeam* smaller = tree.top().opened_by(0, 2);
  EXPECT_EQ(smaller, tree.top().inner(0));
  EXPECT_EQ(smaller->placement(2, 0), nullptr);
  tree.ended(later());
  EXPECT_EQ(teams_of(tree), (Teams{{0, 5}}));
}

TEST(KnownTrees, WhatNobodyOpensIsForgottenAfterAPeriod) {
  KnownTree tree(2);
  tree.top().opened_by(0, 3);
  tree.top().opened_by(1, 3);
  for (int run = 1; run < period; ++run) tree.ended(later());
  EXPECT_EQ(teams_of(tree).size(), 2U);
  tree.ended(later());
  for (int run = 1; run <= period; ++run) {
    EXPECT_EQ(teams_of(tree).size(), 2U);
    tree.top().opened_by(1, 3);
    EXPECT_EQ(tree.ended(later()), run == period);
  }
  EXPECT_EQ(teams_of(tree), (Teams{{1, 3}}));
}

TEST(KnownTrees, APeriodIsNoShorterThanAMillisecond) {
  if (!await_ticks()) GTEST_SKIP() << "nobody knows how long ticks are";
  KnownTree tree(2);
  tree.top().opened_by(0, 3);
  const uint64_t began = later();
  const auto run_a_period = [&](int64_t ns) {
    for (int run = 0; run < period; ++run) tree.ended(began + os::ticks_in(ns));
  };
  run_a_period(0);
  for (int i = 0; i < 10; ++i) run_a_period(900'000);
  EXPECT_EQ(teams_of(tree).size(), 1U);
  run_a_period(1'100'000);
  EXPECT_EQ(teams_of(tree).size(), 1U) << "it was opened in the one that is over";
  run_a_period(2'000'000);
  EXPECT_EQ(teams_of(tree).size(), 1U);
  run_a_period(2'300'000);
  EXPECT_TRUE(teams_of(tree).empty());
}

TEST(KnownTrees, ATeamShrinksAfterAPeriod) {
  KnownTree tree(2);
  tree.top().opened_by(0, 4);
  for (int run = 1; run <= 2 * period; ++run) {
    EXPECT_EQ(teams_of(tree), (Teams{{0, 4}}));
    tree.ended(later());
    tree.top().opened_by(0, 2);
  }
  tree.top().opened_by(0, 2);
  EXPECT_EQ(teams_of(tree), (Teams{{0, 2}}));
}

TEST(KnownTrees, NothingIsGuessedOnceItRan) {
  KnownTree tree(2);
  EXPECT_EQ(teams_of(tree, 4), (Teams{{0, 4}, {1, 4}}));
  EXPECT_TRUE(tree.ended(later())) << "the guess was wrong";
  EXPECT_TRUE(teams_of(tree, 4).empty());
  EXPECT_FALSE(tree.ended(later()));
}

// Each member opens a team of two, and so on.
void open_all(KnownTeam* team, int depth) {
  for (int member = 0; team && depth > 0 && member < team->threads(); ++member)
    open_all(team->opened_by(member, 2), depth - 1);
}

TEST(KnownTrees, DeepTreesAreKnownToADepth) {
  KnownTree tree(2);
  open_all(&tree.top(), 10);
  EXPECT_EQ(teams_of(tree).size(), 2U + 4 + 8);
}

TEST(KnownTrees, OfALargeTreeTheOutermostMembersTeamsCount) {
  KnownTree tree(200);
  open_all(&tree.top(), 3);
  for (const auto& [maker, n] : teams_of(tree)) EXPECT_EQ(n, 2);
  EXPECT_LE(teams_of(tree).size(), 200U);
  std::vector<KnownTeam*> behind;
  for (const plan::TreeTeam& team : tree.shape(1, behind)) EXPECT_LE(team.outer, 0);
  EXPECT_EQ(std::ranges::count(behind, nullptr), std::ssize(behind) - 1);
}

TEST(KnownTrees, OnceATreeWasTooLargeTeamsInsideOthersAreNotRemembered) {
  KnownTree tree(200);
  open_all(&tree.top(), 3);
  EXPECT_LT(teams_of(tree).size(), 200U);
  tree.ended(later());
  for (int run = 0; run < 2 * period; ++run) {
    open_all(&tree.top(), 3);
    EXPECT_EQ(teams_of(tree).size(), 200U) << "there is room for all of the members'";
    EXPECT_EQ(tree.top().inner(0)->opened_by(0, 2), nullptr);
    tree.ended(later());
  }
}

TEST(KnownTrees, APlacementHoldsWhereItsMakerIsAndForItsSize) {
  KnownTree tree(2);
  KnownTeam* inner = tree.top().opened_by(0, 3);
  EXPECT_EQ(inner->placement(3, 0), nullptr);
  plan::Placement placement;
  placement.n = 3;
  topo::Level part;
  part.first_pu = 4;
  part.pu_count = 2;
  inner->set_placement(placement, part);
  EXPECT_NE(inner->placement(3, 4), nullptr);
  EXPECT_NE(inner->placement(3, 5), nullptr);
  EXPECT_EQ(inner->placement(3, 3), nullptr);
  EXPECT_EQ(inner->placement(3, 6), nullptr);
  EXPECT_EQ(inner->placement(2, 4), nullptr);
  tree.top().forget_placements();
  EXPECT_EQ(inner->placement(3, 4), nullptr);
}

}  // namespace
}  // namespace xylem::sched
