// Trees of teams as policies see them, and plans read back as a place for each thread.
#include "plan/team_tree.hpp"

#include <gtest/gtest.h>

#include "../../policy/drawing.hpp"
#include "plan/check.hpp"
#include "policy/policy.hpp"

namespace {

namespace plan = xylem::plan;
using plan::TeamTree;
using plan::TreeView;
using Levels = plan::ByMember<int>;

class Trees : public ::testing::Test {
 protected:
  int pu(int number) const { return plan::level_of_pu(machine_.levels(), number); }
  int node(int number) const { return machine_.level("node" + std::to_string(number)); }
  // Where threads are by the policy.
  Levels placed(const TreeView& view, const xylem::policy::Policy& policy) const {
    plan::Plan answer;
    plan::Random random(1);
    policy.place(view.view(), random, answer);
    EXPECT_FALSE(plan::check(answer, view.view()));
    return view.levels(answer);
  }
  drawing::Machine machine_{"node*2(pu*4)"};
};

// Two members, the second opens a team of three.
const TeamTree one_inner{{.n = 2}, {.outer = 0, .maker = 1, .n = 3}};

TEST_F(Trees, AMemberThatMakesATeamIsABubble) {
  const TreeView view(machine_.levels(), one_inner, {.maker_pu = 0});
  ASSERT_FALSE(plan::check(view.view()));
  EXPECT_EQ(view.view().top_count, 1);
  EXPECT_EQ(view.view().entity(0).threads, 4) << "makers are members of the teams that they make";
  EXPECT_EQ(view.view().entity(1).kind, plan::EntityKind::run);
  EXPECT_EQ(view.view().entity(2).kind, plan::EntityKind::bubble);
  EXPECT_EQ(view.view().entity(3).count, 3);
}

TEST_F(Trees, AFlatTeamIsSeenAsEver) {
  std::array<plan::Entity, 2> memory;
  const plan::View flat = plan::flat_team(machine_.levels(), memory, 5, 0);
  const TeamTree tree{{.n = 5}};
  const TreeView view(machine_.levels(), tree, {.maker_pu = 0, .maker_stays = true});
  ASSERT_EQ(view.view().entities.size(), flat.entities.size());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(view.view().entity(i).count, flat.entity(i).count);
    EXPECT_EQ(view.view().entity(i).last_pu, flat.entity(i).last_pu);
    EXPECT_EQ(view.view().entity(i).allowed, flat.entity(i).allowed);
  }
}

TEST_F(Trees, MembersWithLoadsStandAlone) {
  const TeamTree tree{{.n = 3, .loads = {0, 5, 7}}};
  const TreeView view(machine_.levels(), tree, {.maker_pu = 2, .maker_stays = true});
  EXPECT_EQ(view.view().entity(1).allowed, pu(2)) << "the maker runs there already";
  EXPECT_EQ(view.loads(), (plan::ByMember<int64_t>{{1, 5, 7}}));
}

TEST_F(Trees, AMakerThatStaysIsShownAloneInTheTeamInsideToo) {
  TeamTree tree{{.n = 2}, {.outer = 0, .maker = 0, .n = 3}};
  const TreeView::Wishes stays{.maker_pu = 2, .maker_stays = true};
  EXPECT_EQ(TreeView(machine_.levels(), tree, stays).view().entities.size(), 4U)
      << "without loads its bubble's past says where it is";
  tree[0].loads = {10, 20};
  const TreeView view(machine_.levels(), tree, stays);
  ASSERT_FALSE(plan::check(view.view()));
  ASSERT_EQ(view.view().entities.size(), 6U);
  EXPECT_EQ(view.view().entity(3).allowed, pu(2));
  EXPECT_EQ(placed(view, xylem::policy::cache)[1][0], pu(2));
}

TEST_F(Trees, TheLoadOfAMemberIsThatOfAllItMakes) {
  TeamTree tree = one_inner;
  tree[0].loads = {10, 90};
  EXPECT_EQ(TreeView(machine_.levels(), tree, {}).loads(),
            (plan::ByMember<int64_t>{{10, 0}, {30, 30, 30}}));
  tree[1].loads = {70, 0, 0};
  EXPECT_EQ(TreeView(machine_.levels(), tree, {}).loads(),
            (plan::ByMember<int64_t>{{10, 0}, {70, 10, 10}}));
}

TEST_F(Trees, BytesOfAMemberAreThoseOfItsBubble) {
  TeamTree tree = one_inner;
  tree[0].bytes = {1, 2, 30, 40};
  const std::vector<int> nodes{node(0), node(1)};
  const TreeView view(machine_.levels(), tree, {.nodes = nodes});
  const std::vector<int64_t> wanted{0, 0, 1, 2, 30, 40, 0, 0};
  EXPECT_TRUE(std::ranges::equal(view.view().memory.bytes, wanted));
}

TEST_F(Trees, ThreadsAreWhereThePlanPutsThem) {
  const TeamTree two_teams{
      {.n = 2}, {.outer = 0, .maker = 0, .n = 4}, {.outer = 0, .maker = 1, .n = 4}};
  const TreeView view(machine_.levels(), two_teams, {.maker_pu = 0});
  EXPECT_EQ(placed(view, xylem::policy::cache),
            (Levels{{pu(0), pu(4)}, {pu(0), pu(1), pu(2), pu(3)}, {pu(4), pu(5), pu(6), pu(7)}}));
}

TEST_F(Trees, WhatHasNoMoveIsWhereItsBubbleIs) {
  const TreeView view(machine_.levels(), one_inner, {});
  plan::Plan closed;
  closed.move(0, node(1));
  EXPECT_EQ(view.levels(closed), (Levels{{node(1), node(1)}, {node(1), node(1), node(1)}}));
  plan::Plan open;
  open.burst(0, 0);
  open.move(1, pu(0));
  open.burst(2, node(1));
  open.move_members(3, 2, 1, pu(7));
  EXPECT_EQ(view.levels(open), (Levels{{pu(0), node(1)}, {node(1), node(1), pu(7)}}));
}

TEST_F(Trees, APlacementForEachTeam) {
  const Levels levels{{pu(0), pu(4)}, {pu(4), pu(5), pu(5)}};
  const std::vector<plan::Placement> made =
      plan::placements(one_inner, levels, plan::Why::told_loads);
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[1].n, 3);
  ASSERT_EQ(made[1].ranges.size(), 1U) << "neighbours on one level are one range";
  EXPECT_EQ(made[1].ranges[0].lo, 1);
  EXPECT_EQ(made[1].ranges[0].hi, 3);
  EXPECT_EQ(made[1].ranges[0].level, pu(5));
  EXPECT_EQ(plan::parts(machine_.levels(), one_inner, levels), (std::vector<int>{0, node(1)}));
}

TEST_F(Trees, TheLongestCountsWhatLiesAbovePus) {
  const Levels levels{{pu(0), 0}, {node(0), node(0), pu(1)}};
  const plan::ByMember<int64_t> loads{{10, 0}, {8, 8, 5}};
  EXPECT_DOUBLE_EQ(plan::longest(machine_.levels(), levels, loads), 14);
}

TEST_F(Trees, TheLeastLongestIsTheMeanOrTheHeaviestThread) {
  ASSERT_EQ(machine_.pu_count(), 8);
  EXPECT_DOUBLE_EQ(plan::least_longest(machine_.levels(), {{3, 3}, {4, 4, 2}}), 4);
  EXPECT_DOUBLE_EQ(plan::least_longest(machine_.levels(), {{9, 7}, {8, 8, 8}}), 9);
  EXPECT_DOUBLE_EQ(plan::least_longest(machine_.levels(), {std::vector<int64_t>(20, 2)}), 5);
}

}  // namespace
