// Every law of views and plans, broken once on purpose; and what plans do to holders.
#include "plan/check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "../../policy/drawing.hpp"

namespace {

namespace plan = xylem::plan;

// Entities: 0 A, 1 f (run of 4), 2 x (run of 3), 3 B, 4 y (pinned to pu1).
struct Drawn {
  drawing::Machine machine{"node*2(pu*2)"};
  drawing::Tree tree{"A{ x*3 B{ y[allowed=pu1] } } f*4", machine};
};

std::string broken_view(const std::function<void(plan::View&, std::vector<plan::Entity>&)>& spoil) {
  Drawn d;
  plan::View view = d.tree.view();
  spoil(view, d.tree.entities());
  plan::Fault fault = plan::check(view);
  return fault ? fault.what : "";
}

TEST(CheckView, FindsWhatIsBroken) {
  using Entities = std::vector<plan::Entity>;
  using View = plan::View;
  EXPECT_EQ(broken_view([](View&, Entities&) {}), "");
  EXPECT_NE(broken_view([](View& v, Entities&) { v.top_count = 1; }), "");
  EXPECT_NE(broken_view([](View& v, Entities&) { v.top_count = 9; }), "");
  EXPECT_NE(broken_view([](View& v, Entities&) { v.scope = 7; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[0].threads = 5; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[2].count = 0; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[2].parent = 3; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[0].child_count = 3; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[0].first_child = 0; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[0].narrowed = false; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[0].load = -1; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[4].allowed = 42; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[3].allowed = 1, e[4].allowed = 2; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[1].level = 42; }), "");
  EXPECT_NE(broken_view([](View&, Entities& e) { e[2].level = plan::held_back; }), "");
  EXPECT_EQ(broken_view([](View&, Entities& e) { e[1].level = plan::held_back; }), "");
}

TEST(CheckView, FindsBrokenHints) {
  std::vector<int> nodes = {1, 2};
  std::vector<std::int64_t> bytes(10, 7);
  auto with = [&](const std::function<void()>& spoil) {
    nodes = {1, 2};
    bytes.assign(10, 7);
    spoil();
    return broken_view([&](plan::View& v, std::vector<plan::Entity>&) {
      v.memory = {nodes, bytes};
    });
  };
  EXPECT_EQ(with([] {}), "");
  EXPECT_EQ(with([&] { nodes[1] = -1; }), "") << "a node without PUs";
  EXPECT_EQ(with([&] { nodes[1] = 1; }), "") << "two nodes on one level";
  EXPECT_EQ(with([&] { bytes.clear(); }), "");
  EXPECT_NE(with([&] { nodes[1] = 42; }), "");
  EXPECT_NE(with([&] { nodes[1] = 0; }), "");
  EXPECT_NE(with([&] { bytes.pop_back(); }), "");
  EXPECT_NE(with([&] { bytes[3] = -1; }), "");
}

std::string fault_of(const std::function<void(plan::Plan&, const drawing::Machine&)>& make,
                     plan::Coverage coverage = plan::Coverage::whole) {
  Drawn d;
  plan::Plan answer;
  make(answer, d.machine);
  plan::Fault fault = plan::check(answer, d.tree.view(), coverage);
  return fault ? fault.what : "";
}

// A plan that keeps every law, up to the moves of f and x.
void place_a(plan::Plan& p, const drawing::Machine& m) {
  p.burst(0, 0);
  p.burst(3, 0);
  p.move(4, m.pu_level(1));
}

TEST(CheckPlan, AcceptsWhatKeepsTheLaws) {
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine& m) {
              place_a(p, m);
              p.move_members(2, 0, 2, m.pu_level(0));
              p.move_members(2, 2, 1, m.pu_level(3));
              p.move_members(1, 0, 4, 0);
            }),
            "");
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine& m) {
              place_a(p, m);  // x is left where A burst
              p.move_members(1, 0, 4, 0);
            }),
            "");
  EXPECT_EQ(fault_of([](plan::Plan&, const drawing::Machine&) {}, plan::Coverage::part), "");
}

TEST(CheckPlan, FindsWhatIsLostOrTwice) {
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine& m) { place_a(p, m); }),
            "is not placed");
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine& m) {
              place_a(p, m);
              p.move_members(1, 0, 3, 0);
            }),
            "is placed in part: members are lost");
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine& m) {
              place_a(p, m);
              p.move_members(1, 0, 3, 0);
              p.move_members(1, 2, 2, 1);
            }),
            "is moved twice");
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine& m) {
              place_a(p, m);
              p.move(0, m.pu_level(1));
              p.move_members(1, 0, 4, 0);
            }),
            "is moved twice");
}

TEST(CheckPlan, SomebodyMayBeHeldBackButNotAll) {
  auto hold_a_and = [](const std::function<void(plan::Plan&)>& rest,
                       plan::Coverage coverage = plan::Coverage::whole) {
    return fault_of(
        [&](plan::Plan& p, const drawing::Machine&) {
          p.hold(0, 1);
          rest(p);
        },
        coverage);
  };
  EXPECT_EQ(hold_a_and([](plan::Plan& p) { p.move_members(1, 0, 4, 0); }), "");
  EXPECT_EQ(hold_a_and([](plan::Plan& p) { p.hold(1, 4); }),
            "is held back though nothing else could run");
  EXPECT_EQ(hold_a_and([](plan::Plan& p) { p.hold(1, 3); }), "is placed in part: members are lost");
  EXPECT_EQ(hold_a_and([](plan::Plan& p) { p.move_members(2, 0, 3, 0); }),
            "takes an entity out of a closed bubble");
  EXPECT_EQ(hold_a_and([](plan::Plan&) {}, plan::Coverage::part),
            "is held back though nothing else could run");
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine&) {
              p.burst(0, plan::held_back);
              p.move_members(1, 0, 4, 0);
            }),
            "holds back what it bursts");
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine& m) {
              place_a(p, m);
              p.hold(2, 3);
              p.move_members(1, 0, 4, 0);
            }),
            "holds back what is no top");
}

TEST(CheckPlan, FindsTooManyMoves) {
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine&) {
              for (int i = 0; i < 11; ++i) p.move(0, 0);
            }),
            "makes more moves than there is to move: does it end?");
  plan::Plan p;
  int told = 0;
  p.limit(
      2, [](void* count) { ++*static_cast<int*>(count); }, &told);
  for (int i = 0; i < 5; ++i) p.move(0, 0);
  EXPECT_EQ(p.moves().size(), 2U);
  EXPECT_EQ(told, 3);
  EXPECT_TRUE(p.exceeded());
  p.clear();
  EXPECT_FALSE(p.exceeded());
}

TEST(CheckPlan, FindsMovesThatCannotBeMade) {
  auto one = [](int entity, int first, int count, int level) {
    return fault_of([=](plan::Plan& p, const drawing::Machine&) {
      p.move_members(entity, first, count, level);
    });
  };
  EXPECT_EQ(one(9, 0, 1, 0), "moves what is not there");
  EXPECT_EQ(one(1, 0, 4, 7), "moves to no level of the machine");
  EXPECT_EQ(one(1, 0, 4, -1), "moves to no level of the machine");
  EXPECT_EQ(one(1, 2, 3, 0), "moves members that a run does not have");
  EXPECT_EQ(one(1, -1, 3, 0), "moves members that a run does not have");
  EXPECT_EQ(one(2, 0, 3, 0), "takes an entity out of a closed bubble");
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine&) { p.burst(1, 0); }),
            "bursts what is no bubble");
}

TEST(CheckPlan, FindsWhatStrays) {
  auto a_to = [](int level) {
    return fault_of([=](plan::Plan& p, const drawing::Machine&) {
      p.move(0, level);
      p.move_members(1, 0, 4, 0);
    });
  };
  Drawn d;
  EXPECT_EQ(a_to(d.machine.pu_level(1)), "");
  EXPECT_EQ(a_to(d.machine.pu_level(0)),
            "is left, or carried in its bubble, to where it may not run");
  EXPECT_EQ(fault_of([](plan::Plan& p, const drawing::Machine& m) {
              p.burst(0, 0), p.burst(3, 0), p.move(4, m.pu_level(2)), p.move_members(1, 0, 4, 0);
            }),
            "is moved to where it may not run");
}

TEST(CheckPlan, FindsAnEntityInTwoHolders) {
  Drawn d;
  d.tree.entities()[0].level = 0;  // A is open: x lies on the machine's queue
  d.tree.entities()[2].level = 0;
  plan::Plan p;
  p.move_members(2, 0, 3, 1);
  p.move(0, d.machine.pu_level(1));
  p.move_members(1, 0, 4, 0);
  EXPECT_STREQ(plan::check(p, d.tree.view()).what, "is moved, and gathered by its bubble");
}

TEST(Holders, FollowTheirBubble) {
  Drawn d;
  plan::Plan p;
  p.burst(0, 1);
  std::vector<plan::Holding> holdings = plan::apply(p, d.tree.view());
  ASSERT_EQ(holdings.size(), 5U);
  EXPECT_EQ(holdings[0], (plan::Holding{0, 0, 1, 1, true}));
  EXPECT_EQ(holdings[1], (plan::Holding{1, 0, 4, -1, false})) << "stays where it was";
  EXPECT_EQ(holdings[2], (plan::Holding{2, 0, 3, 1, false})) << "left where A burst";
  EXPECT_EQ(holdings[3], (plan::Holding{3, 0, 1, 1, false}));
  EXPECT_EQ(holdings[4], (plan::Holding{4, 0, 1, -1, false})) << "still in B";
}

TEST(Holders, WhoIsPutAsideIsLastInTheRow) {
  Drawn d;
  plan::Plan p;
  p.hold(1, 4);
  p.burst(0, 0);
  plan::settle(p, d.tree.view(), d.tree.entities());
  const std::vector<plan::Entity>& e = d.tree.entities();
  EXPECT_EQ(e[1].level, plan::held_back);
  EXPECT_EQ(e[1].held_since, 1);
  EXPECT_EQ(e[2].level, 0) << "left where its bubble burst";
  EXPECT_EQ(e[4].level, -1);
  p.clear();
  p.hold(1, 4);
  p.hold(0, 1);
  plan::settle(p, d.tree.view(), d.tree.entities());
  EXPECT_EQ(e[1].held_since, 1) << "it was held back already";
  EXPECT_EQ(e[0].held_since, 2);
  EXPECT_EQ(e[2].level, -1) << "gathered in";
}

TEST(Holders, ARunThatIsCutLiesAtTheCommonLevel) {
  Drawn d;
  plan::Plan p;
  p.move_members(1, 0, 2, d.machine.pu_level(2));
  p.move_members(1, 2, 2, d.machine.pu_level(3));
  p.move(0, d.machine.pu_level(1));
  plan::settle(p, d.tree.view(), d.tree.entities());
  EXPECT_EQ(d.tree.entities()[1].level, d.machine.level("node1"));
}

TEST(Holders, AClosedMoveGathersWhatWasOut) {
  Drawn d;
  d.tree.entities()[0].level = 0;
  d.tree.entities()[2].level = 2;
  plan::Plan p;
  p.move(0, 1);
  std::vector<plan::Holding> holdings = plan::apply(p, d.tree.view());
  EXPECT_EQ(holdings[2], (plan::Holding{2, 0, 3, -1, false}));
}

}  // namespace
