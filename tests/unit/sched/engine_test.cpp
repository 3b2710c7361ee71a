// Placements: where the policy in force puts the threads of a tree of teams.
#include "sched/place/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace {

using xylem::plan::ByMember;
using xylem::plan::TeamTree;
using xylem::sched::Engine;
using xylem::sched::OpenTeam;

const xylem::topo::Machine& two_nodes() {
  static const auto loaded = xylem::topo::load_machine("node:2 core:2 pu:1", true);
  return *loaded.value();
}

const xylem::topo::Machine& sixteen() {
  static const auto loaded = xylem::topo::load_machine("node:4 core:4 pu:1", true);
  return *loaded.value();
}

std::vector<int> flat(const Engine& engine, std::vector<int64_t> loads) {
  const int n = static_cast<int>(loads.size());
  return engine.levels_of(TeamTree{{.n = n, .loads = std::move(loads)}})[0];
}

// n members, each with a team of `inner`.
TeamTree nested(int n, int inner) {
  TeamTree tree{{.n = n}};
  for (int member = 0; member < n; ++member)
    tree.push_back({.outer = 0, .maker = member, .n = inner});
  return tree;
}

TEST(Placements, HeavyMembersGetPusOfTheirOwn) {
  const Engine engine(two_nodes(), xylem::policy::cache);
  const std::vector<int> levels = flat(engine, {100, 10, 10, 90, 10, 10, 10, 10});
  EXPECT_EQ(levels[0], two_nodes().pu_level(0)) << "member 0 runs there already";
  EXPECT_EQ(std::ranges::count(levels, levels[0]), 1) << "nobody beside the heaviest";
  EXPECT_EQ(std::ranges::count(levels, levels[3]), 1) << "nor the second heaviest";
}

TEST(Placements, MembersWithoutALoadCountOne) {
  const Engine engine(two_nodes(), xylem::policy::cache);
  const std::vector<int> levels = flat(engine, {0, 0, 0, 0});
  EXPECT_EQ(std::set<int>(levels.begin(), levels.end()).size(), 4U);
}

TEST(Placements, EveryPolicyPlacesEveryThread) {
  TeamTree tree = nested(3, 5);
  tree[0].loads = {5, 1, 7};
  for (const xylem::policy::Policy* policy : xylem::policy::registry()) {
    if (policy->tick) continue;
    const Engine engine(two_nodes(), *policy);
    for (const std::vector<int>& of_team : engine.levels_of(tree))
      for (const int level : of_team) EXPECT_GE(level, 0) << policy->name;
  }
}

// By PU, of threads that are on one each.
ByMember<int> pus_of(const ByMember<int>& levels) {
  ByMember<int> pus = levels;
  for (std::vector<int>& of_team : pus)
    for (int& place : of_team) {
      const xylem::topo::Level& level = sixteen().levels()[static_cast<size_t>(place)];
      EXPECT_EQ(level.pu_count, 1);
      place = level.first_pu;
    }
  return pus;
}

TEST(Placements, InnerTeamsOfAsManyAsANodeHasGetANodeEach) {
  const Engine engine(sixteen(), xylem::policy::cache);
  EXPECT_EQ(
      pus_of(engine.levels_of(nested(4, 4))),
      (ByMember<int>{{0, 4, 8, 12}, {0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
}

std::set<int> all_of(const ByMember<int>& pus) {
  std::set<int> all;
  for (const std::vector<int>& of_team : pus) all.insert(of_team.begin(), of_team.end());
  return all;
}

TEST(Placements, InnerTeamsWhoseDataIsOnOneNodeStillGetTheWholeMachine) {
  for (const xylem::policy::Policy* policy : {&xylem::policy::cache, &xylem::policy::memory}) {
    const Engine engine(sixteen(), *policy);
    TeamTree tree = nested(4, 4);
    for (int member = 0; member < 4; ++member)
      tree[0].bytes.insert(tree[0].bytes.end(), {1000, 0, 0, 0});
    const ByMember<int> pus = engine.pus_by_memory(tree, {});
    EXPECT_EQ(all_of(pus).size(), 16U) << policy->name;
    EXPECT_EQ(pus[1], (std::vector<int>{0, 1, 2, 3})) << "the first stays with its data";
    for (size_t team = 1; team < pus.size(); ++team)
      EXPECT_EQ(pus[team][3], pus[team][0] + 3) << "none is torn";
  }
}

TEST(Placements, InnerTeamsWhoseDataIsNowhereGoOverTheNodes) {
  const Engine engine(sixteen(), xylem::policy::memory);
  TeamTree tree = nested(4, 4);
  tree[0].bytes.assign(16, 0);
  EXPECT_EQ(engine.pus_by_memory(tree, {})[0], (std::vector<int>{0, 4, 8, 12}));
}

// --- beside other program threads ----------------------------------------------------------------

TeamTree flat_tree(int n, std::vector<int64_t> loads = {}) {
  return {{.n = n, .loads = std::move(loads)}};
}

TEST(Placements, TwoTeamsAtOnceGetHalfOfTheMachineEach) {
  for (const xylem::policy::Policy* policy : {&xylem::policy::cache, &xylem::policy::spread}) {
    const Engine engine(sixteen(), *policy);
    const std::vector<OpenTeam> teams{{8, 8}, {8, 8}};
    EXPECT_EQ(pus_of(engine.beside(flat_tree(8), teams, 0))[0],
              (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(pus_of(engine.beside(flat_tree(8), teams, 1))[0],
              (std::vector<int>{8, 9, 10, 11, 12, 13, 14, 15}));
  }
}

TEST(Placements, ATeamWithAThirdOfTheLoadGetsAThird) {
  const Engine engine(sixteen(), xylem::policy::cache);
  const std::vector<OpenTeam> teams{{16, 320}, {16, 160}};
  const ByMember<int> first = pus_of(engine.beside(flat_tree(16), teams, 0));
  const ByMember<int> second = pus_of(engine.beside(flat_tree(16), teams, 1));
  EXPECT_EQ(all_of(first).size(), 11U);
  EXPECT_EQ(first[0].back(), 10);
  EXPECT_EQ(second[0].front(), 10) << "the PU on which the two meet";
  EXPECT_EQ(second[0].back(), 15);
}

TEST(Placements, LoadsOfMembersCountBesideOtherTeams) {
  const Engine engine(sixteen(), xylem::policy::cache);
  const std::vector<OpenTeam> teams{{8, 8}, {4, 8}};
  EXPECT_EQ(pus_of(engine.beside(flat_tree(4, {5, 1, 1, 1}), teams, 1))[0],
            (std::vector<int>{10, 13, 14, 15}));
}

TEST(Placements, InnerTeamsStandTogetherBesideOtherTeams) {
  const Engine engine(sixteen(), xylem::policy::cache);
  const std::vector<OpenTeam> teams{{2, 8}, {2, 8}};
  EXPECT_EQ(pus_of(engine.beside(nested(2, 4), teams, 1)),
            (ByMember<int>{{8, 12}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
}

}  // namespace
