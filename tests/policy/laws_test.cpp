// The laws that every policy keeps, ours and those from outside, on random machines and trees from
// fixed seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "drawing.hpp"
#include "plan/check.hpp"
#include "policy/foreign.hpp"
#include "subjects.hpp"

namespace {

namespace plan = xylem::plan;
namespace policy = xylem::policy;

// Trees that each law is looked at with: XYLEM_LAW_ROUNDS, or 400.
int rounds() {
  const char* text = std::getenv("XYLEM_LAW_ROUNDS");
  return text ? std::atoi(text) : 400;
}

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
  bool hints = false;  // memory hints
  bool loads = true;
  int levels = 0;         // of the machine, for pins
  plan::Random gangs{1};  // what follows from it comes on top: the trees are the same without
};

std::string random_bytes(plan::Random& random, const drawing::Machine& machine) {
  std::string out = " bytes=";
  for (std::size_t node = 0; node < machine.nodes().size(); ++node)
    out += (node > 0 ? "," : "") + std::to_string(random.below(3) * random.below(100));
  return out;
}

std::string random_entity(plan::Random& random, const drawing::Machine& machine, TreeShape& shape,
                          int depth) {
  std::string name = "e";
  std::string attributes;
  if (shape.loads && random.below(3) == 0)
    attributes += " load=" + std::to_string(random.below(50));
  if (random.below(3) == 0)
    attributes += " last=" + std::to_string(random.below(machine.pu_count()));
  if (random.below(4) == 0) attributes += " priority=" + std::to_string(random.below(5));
  if (shape.hints && random.below(2) == 0 && !machine.nodes().empty())
    attributes += random_bytes(random, machine);
  if (depth == 0 && shape.gangs.below(3) == 0)
    attributes += " gang=" + machine.name(shape.gangs.below(shape.levels));
  bool bubble = depth < 4 && random.below(3) != 0;
  if (shape.pinned && !bubble && random.below(4) == 0)
    attributes += " allowed=" + machine.name(random.below(shape.levels));
  if (bubble && random.below(3) == 0)
    attributes += " burst=" + machine.name(random.below(shape.levels));
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

// No law is looked at with an answer that cannot be carried out.
void require(const plan::Plan& answer, const plan::View& view, plan::Coverage coverage) {
  plan::Fault fault = plan::check(answer, view, coverage);
  if (!fault) return;
  ADD_FAILURE() << fault.what << ", entity " << fault.entity << ", move " << fault.move;
  throw std::runtime_error("the answer is wrong");
}

plan::Plan place(const policy::Policy& chosen, const plan::View& view, std::uint64_t seed) {
  plan::Random random(seed);
  plan::Plan answer = subjects::place(chosen, view, random);
  require(answer, view, plan::Coverage::whole);
  return answer;
}

plan::Plan tick(const policy::Policy& chosen, const plan::View& view, int bubble,
                plan::Random& random) {
  plan::Plan answer = subjects::tick(chosen, view, bubble, random);
  require(answer, view, plan::Coverage::part);
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

struct Threads {
  int on_queues = 0;
  int held = 0;
};

// Conservation: on_queues + held is equal to the threads of the tops.
Threads count_threads(const drawing::Scene& scene) {
  Threads sum;
  for (const plan::Holding& holding : scene.holdings()) {
    if (holding.level == -1 || holding.burst) continue;
    const plan::Entity& entity = scene.view().entity(holding.entity);
    bool run = entity.kind == plan::EntityKind::run;
    (holding.level < 0 ? sum.held : sum.on_queues) += run ? holding.count : entity.threads;
  }
  return sum;
}

class Laws : public testing::TestWithParam<const policy::Policy*> {
 protected:
  template <typename Law>
  void on_random_trees(bool pinned, Law law, bool hints = true) {
    for (int round = 0; round < rounds() && !HasFailure(); ++round) {
      plan::Random random(static_cast<std::uint64_t>(round) * 2 + (pinned ? 1 : 0));
      std::string machine_text = random_siblings(random, 0);
      drawing::Machine machine(machine_text);
      std::string text = random_tree(random, machine,
                                     {.pinned = pinned,
                                      .hints = hints && round % 4 < 2,
                                      .loads = round % 3 != 0,
                                      .gangs = plan::Random(static_cast<std::uint64_t>(round))});
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
      drawing::Scene scene(view);
      scene.carry_out(answer);
      Threads threads = count_threads(scene);
      ASSERT_EQ(threads.on_queues + threads.held, threads_of_tops(view));
      ASSERT_TRUE(threads.held == 0 || chosen().tick != nullptr) << "held back for ever";
    });
}

TEST_P(Laws, TicksLoseNothingEither) {
  if (chosen().tick == nullptr) GTEST_SKIP() << chosen().name << " has no ticks";
  for (bool pinned : {false, true})
    on_random_trees(pinned, [&](const plan::View& view, plan::Random& random) {
      drawing::Scene scene(view);
      scene.carry_out(place(chosen(), view, 1));
      for (int slice = 0; slice < 30; ++slice) {
        int bubble = random.below(static_cast<int>(view.entities.size()));
        plan::Random one(5), other(5);
        plan::Plan answer = tick(chosen(), scene.view(), bubble, one);
        plan::Plan again = tick(chosen(), scene.view(), bubble, other);
        ASSERT_TRUE(std::ranges::equal(answer.moves(), again.moves())) << "not a function";
        scene.carry_out(answer);
        ASSERT_FALSE(plan::check(scene.view())) << plan::check(scene.view()).what;
        Threads threads = count_threads(scene);
        ASSERT_EQ(threads.on_queues + threads.held, threads_of_tops(view));
      }
    });
}

// Who is held back has its turn: when the slices of all that runs end as often as there are tops,
// every top with threads has been on a queue.
TEST_P(Laws, WhoWaitsGetsATurn) {
  if (chosen().tick == nullptr) GTEST_SKIP() << chosen().name << " has no ticks";
  on_random_trees(true, [&](const plan::View& view, plan::Random& random) {
    drawing::Scene scene(view);
    scene.carry_out(place(chosen(), view, 1));
    std::vector<bool> ran(static_cast<std::size_t>(view.top_count), false);
    for (int round = 0; round <= view.top_count; ++round)
      for (int top = 0; top < view.top_count; ++top) {
        if (scene.view().entity(top).level < 0) continue;
        ran[static_cast<std::size_t>(top)] = true;
        scene.carry_out(tick(chosen(), scene.view(), top, random));
      }
    for (int top = 0; top < view.top_count; ++top)
      ASSERT_TRUE(ran[static_cast<std::size_t>(top)] || view.entity(top).threads == 0) << top;
  });
}

TEST_P(Laws, WhatIsNotPinnedStaysInTheScope) {
  on_random_trees(false, [&](plan::View view, plan::Random& random) {
    view.scope = random.below(static_cast<int>(view.levels.size()));
    plan::Plan answer = place(chosen(), view, 1);
    for (const plan::Move& move : answer.moves())
      ASSERT_TRUE(move.level == plan::held_back ||
                  plan::lies_below(view.levels, move.level, view.scope));
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
  on_random_trees(
      true,
      [&](const plan::View& view, plan::Random&) {
        ASSERT_EQ(busy(view, place(chosen(), view, 1)), most_busy(view));
      },
      false);  // `memory` on pinned entities with hints leaves the last PUs to stealing
}

TEST_P(Laws, ThePlanIsTheSameAtAnotherAddressAndInAnotherRun) {
  on_random_trees(true, [&](plan::View view, plan::Random&) {
    plan::Plan first = place(chosen(), view, 7);
    std::vector<xylem::topo::Level> levels(view.levels.begin(), view.levels.end());
    std::vector<plan::Entity> entities(view.entities.begin(), view.entities.end());
    view.levels = levels;
    view.entities = entities;
    std::vector<std::int64_t> bytes(view.memory.bytes.begin(), view.memory.bytes.end());
    view.memory.bytes = bytes;
    plan::Plan second = place(chosen(), view, 7);
    ASSERT_TRUE(std::ranges::equal(first.moves(), second.moves()));
  });
}

// Who may steal reaches every queue that it does not look at anyway.
TEST_P(Laws, ThievesReachEveryQueueOfTheirPart) {
  plan::StealRule rule = chosen().steal;
  if (rule.order == plan::VictimOrder::none) GTEST_SKIP() << chosen().name << " never steals";
  drawing::Machine machine("node*2(core*2(pu*2)) node(pu)");
  for (int pu = 0; pu < machine.pu_count(); ++pu) {
    std::vector<plan::Victim> victims;
    plan::victim_order(machine.levels(), pu, rule, victims);
    for (int level = 0; level < static_cast<int>(machine.levels().size()); ++level) {
      int common = plan::common_level(machine.levels(), level, machine.pu_level(pu));
      bool own = common == level;
      bool near = rule.across_nodes || common > 0;
      auto found = std::find(victims.begin(), victims.end(), plan::Victim{level, common});
      ASSERT_EQ(found != victims.end(), !own && near) << machine.name(level) << ", PU " << pu;
    }
  }
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
  EXPECT_EQ(subjects::find(chosen().name), &chosen());
  EXPECT_EQ(policy::find(chosen().name), policy::is_foreign(chosen()) ? nullptr : &chosen());
  EXPECT_FALSE(std::string_view(chosen().help).empty());
  EXPECT_EQ(std::string_view(chosen().help).find('\n'), std::string_view::npos);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Laws);  // a run may be about cases alone
INSTANTIATE_TEST_SUITE_P(Policies, Laws, testing::ValuesIn(subjects::policies()),
                         [](const auto& parameter) {
                           std::string name(parameter.param->name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
