// What plan::check() says of policies that loop, lose an entity, or talk nonsense.
#include <gtest/gtest.h>

#include <string>

#include "../../policy/drawing.hpp"
#include "plan/check.hpp"
#include "policy/policy.hpp"

namespace {

namespace plan = xylem::plan;
namespace policy = xylem::policy;

using Place = void (*)(const plan::View& view, plan::Random& random, plan::Plan& plan);

policy::Policy bad(const char* name, Place place) {
  return {.name = name,
          .help = "bad",
          .place = place,
          .tick = nullptr,
          .steal = {},
          .fills_machine = false,
          .repeats = false};
}

// What a build with checks says of the policy's plan: its name and what it broke.
std::string verdict(const policy::Policy& chosen) {
  drawing::Machine machine("node*2(pu*2)");
  drawing::Tree tree("A{ x*3 } f*4", machine);
  plan::View view = tree.view();
  plan::Plan answer;
  answer.limit(plan::most_moves(view));
  plan::Random random(1);
  chosen.place(view, random, answer);
  plan::Fault fault = plan::check(answer, view);
  return fault ? std::string(chosen.name) + ": " + fault.what : "";
}

TEST(BadPolicy, OneThatGoesOnAndOn) {
  policy::Policy chosen = bad("loops", [](const plan::View&, plan::Random&, plan::Plan& answer) {
    for (int i = 0; i < 1000000; ++i) answer.move(0, i % 7);
  });
  EXPECT_EQ(verdict(chosen), "loops: makes more moves than there is to move: does it end?");
}

// The limit calls back, so that a policy that never returns can be ended with its name.
TEST(BadPolicyDeathTest, OneThatNeverReturns) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  policy::Policy chosen = bad("endless", [](const plan::View&, plan::Random&, plan::Plan& answer) {
    for (;;) answer.move(0, 0);
  });
  drawing::Machine machine("pu");
  drawing::Tree tree("A{ x*3 }", machine);
  auto run = [&] {
    plan::Plan answer;
    auto tell = [](void* name) {
      std::fprintf(stderr, "policy %s makes too many moves\n", static_cast<const char*>(name));
      std::abort();
    };
    answer.limit(plan::most_moves(tree.view()), tell, const_cast<char*>(chosen.name.data()));
    plan::Random random(1);
    chosen.place(tree.view(), random, answer);
  };
  EXPECT_DEATH(run(), "policy endless makes too many moves");
}

TEST(BadPolicy, OneThatThrowsAnEntityAway) {
  EXPECT_EQ(verdict(bad("loses", [](const plan::View&, plan::Random&,
                                    plan::Plan& answer) { answer.move(0, 0); })),
            "loses: is not placed");
  EXPECT_EQ(verdict(bad("loses some",
                        [](const plan::View&, plan::Random&, plan::Plan& answer) {
                          answer.move(0, 0);
                          answer.move_members(1, 1, 3, 0);
                        })),
            "loses some: is placed in part: members are lost");
}

TEST(BadPolicy, OneThatTalksNonsense) {
  EXPECT_EQ(verdict(bad("nowhere", [](const plan::View&, plan::Random&,
                                      plan::Plan& answer) { answer.move(0, 42); })),
            "nowhere: moves to no level of the machine");
  EXPECT_EQ(verdict(bad("nobody", [](const plan::View&, plan::Random&,
                                     plan::Plan& answer) { answer.move(-5, 0); })),
            "nobody: moves what is not there");
  EXPECT_EQ(verdict(bad("twice",
                        [](const plan::View&, plan::Random&, plan::Plan& answer) {
                          answer.move(0, 0);
                          answer.move(0, 1);
                          answer.move_members(1, 0, 4, 0);
                        })),
            "twice: is moved twice");
}

TEST(BadPolicy, OneThatHoldsWhatItShouldNot) {
  EXPECT_EQ(verdict(bad("all",
                        [](const plan::View& view, plan::Random&, plan::Plan& answer) {
                          for (int top = 0; top < view.top_count; ++top)
                            answer.hold(top, view.entity(top).count);
                        })),
            "all: is held back though nothing else could run");
  EXPECT_EQ(verdict(bad("inner",
                        [](const plan::View&, plan::Random&, plan::Plan& answer) {
                          answer.burst(0, 0);
                          answer.hold(2, 3);
                          answer.move_members(1, 0, 4, 0);
                        })),
            "inner: holds back what is no top");
  EXPECT_EQ(verdict(bad("part",
                        [](const plan::View&, plan::Random&, plan::Plan& answer) {
                          answer.move(0, 0);
                          answer.hold(1, 2);
                        })),
            "part: is placed in part: members are lost");
}

TEST(Limit, EveryPolicyStaysWithinIt) {
  drawing::Machine machine("node*2(core*2(pu*2))");
  drawing::Tree tree("O{ A{ a*4 } B{ b*9 C{ c } } d } E{} f*5", machine);
  plan::View view = tree.view();
  EXPECT_EQ(plan::most_moves(view), 25U);
  for (const policy::Policy* chosen : policy::registry()) {
    plan::Plan answer;
    answer.limit(plan::most_moves(view));
    plan::Random random(1);
    chosen->place(view, random, answer);
    EXPECT_FALSE(answer.exceeded()) << chosen->name;
    EXPECT_FALSE(plan::check(answer, view)) << chosen->name;
  }
}

}  // namespace
