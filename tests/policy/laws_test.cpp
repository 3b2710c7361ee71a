// The laws that every policy of the registry keeps, on random machines and trees from fixed seeds.
#include <gtest/gtest.h>

#include <algorithm>

#include "drawing.hpp"
#include "plan/check.hpp"
#include "policy/policy.hpp"

namespace {

namespace plan = xylem::plan;
namespace policy = xylem::policy;

constexpr int rounds = 400;

// Text of a machine: up to three rows of levels, arities 1 to 4, siblings that may differ.
std::string random_siblings(plan::Random& random, int row) {
  static const char* const kinds[] = {"node", "cache", "core"};
  if (row == 3 || random.below(4) == 0) return "pu*" + std::to_string(1 + random.below(4));
  std::string out;
  bool alike = random.below(2) == 0;
  int count = 1 + random.below(4);
  if (alike)
    return std::string(kinds[row]) + "*" + std::to_string(count) + "(" +
           random_siblings(random, row + 1) + ")";
  for (int i = 0; i < count; ++i)
    out += std::string(kinds[row]) + "(" + random_siblings(random, row + 1) + ") ";
  return out;
}

struct TreeShape {
  bool pinned = false;
  bool loads = true;
  int levels = 0;  // of the machine, for pins
};

std::string random_entity(plan::Random& random, const drawing::Machine& machine, TreeShape shape,
                          int depth) {
  std::string name = "e";
  std::string attributes;
  if (shape.loads && random.below(3) == 0)
    attributes += " load=" + std::to_string(random.below(50));
  if (random.below(3) == 0)
    attributes += " last=" + std::to_string(random.below(machine.pu_count()));
  if (random.below(4) == 0) attributes += " priority=" + std::to_string(random.below(5));
  bool bubble = depth < 4 && random.below(3) != 0;
  if (shape.pinned && !bubble && random.below(4) == 0)
    attributes += " allowed=" + machine.name(random.below(shape.levels));
  int count = bubble || random.below(3) != 0 ? 1 : 1 + random.below(20);
  std::string out = name + "*" + std::to_string(count);
  if (!attributes.empty()) out += "[" + attributes + "]";
  if (!bubble) return out;
  out += "{ ";
  int children = random.below(depth == 0 ? 9 : 6);
  for (int i = 0; i < children; ++i) out += random_entity(random, machine, shape, depth + 1) + " ";
  return out + "}";
}

std::string random_tree(plan::Random& random, const drawing::Machine& machine, TreeShape shape) {
  std::string out;
  shape.levels = static_cast<int>(machine.levels().size());
  for (int tops = 1 + random.below(3) * random.below(3); tops > 0; --tops)
    out += random_entity(random, machine, shape, 0) + " ";
  return out;
}

plan::Plan place(const policy::Policy& chosen, const plan::View& view, std::uint64_t seed) {
  plan::Plan answer;
  plan::Random random(seed);
  chosen.place(view, random, answer);
  return answer;
}

// PUs that may be busy at once below a level: what waits there or below, at most the PUs there.
int busy(const plan::View& view, const std::vector<int>& waiting, int level) {
  int threads = waiting[static_cast<std::size_t>(level)];
  const xylem::topo::Level& l = view.level(level);
  for (int i = 0; i < l.child_count; ++i) threads += busy(view, waiting, l.first_child + i);
  return std::min(threads, l.pu_count);
}

int busy(const plan::View& view, const plan::Plan& answer) {
  std::vector<int> waiting(view.levels.size(), 0);
  for (const plan::Holding& holding : plan::apply(answer, view)) {
    if (holding.level < 0 || holding.burst) continue;
    const plan::Entity& entity = view.entity(holding.entity);
    bool run = entity.kind == plan::EntityKind::run;
    waiting[static_cast<std::size_t>(holding.level)] += run ? holding.count : entity.threads;
  }
  return busy(view, waiting, 0);
}

int threads_of_tops(const plan::View& view) {
  int threads = 0;
  for (int i = 0; i < view.top_count; ++i) threads += view.entity(i).threads;
  return threads;
}

// Threads that lie on queues after the plan. Conservation: equal to the threads of the tops.
int threads_on_queues(const plan::View& view, const plan::Plan& answer) {
  int threads = 0;
  for (const plan::Holding& holding : plan::apply(answer, view)) {
    if (holding.level < 0 || holding.burst) continue;
    const plan::Entity& entity = view.entity(holding.entity);
    threads += entity.kind == plan::EntityKind::run ? holding.count : entity.threads;
  }
  return threads;
}

class Laws : public testing::TestWithParam<const policy::Policy*> {
 protected:
  template <typename Law>
  void on_random_trees(bool pinned, Law law) {
    for (int round = 0; round < rounds && !HasFailure(); ++round) {
      plan::Random random(static_cast<std::uint64_t>(round) * 2 + (pinned ? 1 : 0));
      std::string machine_text = random_siblings(random, 0);
      drawing::Machine machine(machine_text);
      std::string text = random_tree(random, machine, {pinned, round % 3 != 0});
      drawing::Tree tree(text, machine);
      SCOPED_TRACE("machine: " + machine_text + "\ntree: " + text);
      plan::View view = tree.view();
      plan::Fault fault = plan::check(view);
      ASSERT_FALSE(fault) << fault.what << ", entity " << fault.entity;
      law(view, random);
    }
  }
  const policy::Policy& chosen() const { return *GetParam(); }
};

TEST_P(Laws, NothingLostNothingTwiceNothingAstray) {
  for (bool pinned : {false, true})
    on_random_trees(pinned, [&](plan::View view, plan::Random& random) {
      // A quarter of the rounds places below a part of the machine only.
      if (random.below(4) == 0) view.scope = random.below(static_cast<int>(view.levels.size()));
      plan::Plan answer = place(chosen(), view, 1);
      plan::Fault fault = plan::check(answer, view);
      ASSERT_FALSE(fault) << fault.what << ", entity " << fault.entity << ", move " << fault.move;
      ASSERT_EQ(threads_on_queues(view, answer), threads_of_tops(view));
    });
}

TEST_P(Laws, WhatIsNotPinnedStaysInTheScope) {
  on_random_trees(false, [&](plan::View view, plan::Random& random) {
    view.scope = random.below(static_cast<int>(view.levels.size()));
    plan::Plan answer = place(chosen(), view, 1);
    for (const plan::Move& move : answer.moves())
      ASSERT_TRUE(plan::lies_below(view.levels, move.level, view.scope));
  });
}

TEST_P(Laws, NoPuIdleWhileAnEntityItCouldRunWaits) {
  if (!chosen().fills_machine) GTEST_SKIP() << "not the purpose of " << chosen().name;
  on_random_trees(false, [&](const plan::View& view, plan::Random&) {
    int able = std::min(threads_of_tops(view), view.levels[0].pu_count);
    ASSERT_EQ(busy(view, place(chosen(), view, 1)), able);
  });
}

// Most PUs that any plan could keep busy: each fiber waits at the level it may run below.
int most_busy(const plan::View& view) {
  std::vector<int> waiting(view.levels.size(), 0);
  for (const plan::Entity& entity : view.entities)
    if (entity.kind == plan::EntityKind::run)
      waiting[static_cast<std::size_t>(entity.allowed)] += entity.count;
  return busy(view, waiting, 0);
}

TEST_P(Laws, NoPuIdleForPinnedEntitiesEither) {
  if (!chosen().fills_machine) GTEST_SKIP() << "not the purpose of " << chosen().name;
  on_random_trees(true, [&](const plan::View& view, plan::Random&) {
    ASSERT_EQ(busy(view, place(chosen(), view, 1)), most_busy(view));
  });
}

TEST_P(Laws, ThePlanIsTheSameAtAnotherAddressAndInAnotherRun) {
  on_random_trees(true, [&](plan::View view, plan::Random&) {
    plan::Plan first = place(chosen(), view, 7);
    std::vector<xylem::topo::Level> levels(view.levels.begin(), view.levels.end());
    std::vector<plan::Entity> entities(view.entities.begin(), view.entities.end());
    view.levels = levels;
    view.entities = entities;
    plan::Plan second = place(chosen(), view, 7);
    ASSERT_TRUE(std::ranges::equal(first.moves(), second.moves()));
  });
}

TEST_P(Laws, AppendsToThePlan) {
  drawing::Machine machine("node*2(pu*2)");
  drawing::Tree tree("A{ x*4 } B{ y z }", machine);
  plan::Plan once = place(chosen(), tree.view(), 1);
  plan::Plan twice;
  plan::Random random(1);
  chosen().place(tree.view(), random, twice);
  chosen().place(tree.view(), random, twice);
  EXPECT_EQ(twice.moves().size(), 2 * once.moves().size());
}

TEST_P(Laws, HasANameAndOneLineOfHelp) {
  EXPECT_EQ(policy::find(chosen().name), &chosen());
  EXPECT_FALSE(std::string_view(chosen().help).empty());
  EXPECT_EQ(std::string_view(chosen().help).find('\n'), std::string_view::npos);
}

INSTANTIATE_TEST_SUITE_P(Registry, Laws,
                         testing::ValuesIn(policy::registry().begin(), policy::registry().end()),
                         [](const auto& parameter) { return std::string(parameter.param->name); });

}  // namespace
