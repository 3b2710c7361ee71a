// Policies from outside: what they are shown, what becomes of their answers, who is refused.
#include "policy/foreign.hpp"

#include <gtest/gtest.h>

#include <string>

#include "../../policy/drawing.hpp"
#include "plan/check.hpp"
#include "xylem/policy.h"

namespace {

namespace plan = xylem::plan;
namespace policy = xylem::policy;

void place_whole(const xylem_view* view, xylem_random*, xylem_plan* plan) {
  for (int top = 0; top < view->top_count; ++top)
    xylem_move_members(plan, top, 0, view->entities[top].count, view->scope);
}

xylem_policy good() {
  xylem_policy object{};
  object.version = XYLEM_POLICY_VERSION;
  object.size = sizeof object;
  object.name = "outside";
  object.help = "from outside";
  object.place = place_whole;
  return object;
}

std::string reason(const xylem_policy& object) {
  const policy::Adoption adoption = policy::adopt(&object);
  return adoption.policy != nullptr ? "" : adoption.reason.data();
}

plan::Plan ask(const policy::Policy& chosen, const plan::View& view) {
  plan::Plan answer;
  plan::Random random(3);
  chosen.place(view, random, answer);
  return answer;
}

TEST(Foreign, KeepsWhatTheObjectSays) {
  static xylem_policy object = good();
  object.steal = {XYLEM_STEAL_RANDOM, XYLEM_TAKE_MOST_LOADED, XYLEM_OPEN_ALWAYS, 1, 1};
  object.sees_all = object.repeats = 1;
  const policy::Policy* adopted = policy::adopt(&object).policy;
  ASSERT_NE(adopted, nullptr);
  EXPECT_EQ(policy::adopt(&object).policy, adopted) << "the same object is the same policy";
  EXPECT_EQ(adopted->name, "outside");
  EXPECT_STREQ(adopted->help, "from outside");
  EXPECT_EQ(adopted->tick, nullptr);
  EXPECT_TRUE(adopted->repeats && adopted->sees_all && !adopted->fills_machine);
  EXPECT_EQ(adopted->steal.order, plan::VictimOrder::random);
  EXPECT_FALSE(adopted->steal.across_nodes);
  EXPECT_EQ(adopted->steal.take, plan::Take::most_loaded);
  EXPECT_EQ(adopted->steal.open, plan::Open::always);
  EXPECT_FALSE(adopted->steal.leave_ancestors);
  EXPECT_FALSE(adopted->follows_hints());
  EXPECT_TRUE(policy::is_foreign(*adopted));
  EXPECT_FALSE(policy::is_foreign(policy::cache));
}

TEST(Foreign, NoStealRuleIsOurs) {
  static const xylem_policy object = good();
  EXPECT_EQ(policy::adopt(&object).policy->steal, policy::cache.steal);
}

bool bytes_seen = false;

TEST(Foreign, WhoFollowsHintsIsAskedWithTheirBytes) {
  static xylem_policy object = good();
  object.name = "follower";
  object.follows_hints = 1;
  object.place = [](const xylem_view* view, xylem_random*, xylem_plan* plan) {
    bytes_seen = view->bytes != nullptr && view->bytes[view->node_count + 1] == 77;
    xylem_burst(plan, 0, 0);
  };
  const policy::Policy* adopted = policy::adopt(&object).policy;
  ASSERT_NE(adopted, nullptr);
  ASSERT_TRUE(adopted->follows_hints());
  drawing::Machine machine("node*2(pu*2)");
  std::array<plan::Entity, 2> memory;
  plan::View view = plan::flat_team(machine.levels(), memory, 4, 0);
  const std::array<std::int64_t, 4> bytes{0, 0, 0, 77};
  view.memory = {machine.nodes(), bytes};
  plan::Plan answer;
  plan::Random random(1);
  adopted->place_by_data(view, random, answer);
  EXPECT_TRUE(bytes_seen);
  EXPECT_EQ(answer.moves().size(), 1U);
}

const plan::View* shown = nullptr;  // to the policy of SeesAllOfTheView

void compare_levels(const xylem_view& seen) {
  ASSERT_EQ(seen.level_count, static_cast<int>(shown->levels.size()));
  for (int i = 0; i < seen.level_count; ++i) {
    const xylem_policy_level& got = seen.levels[i];
    const xylem::topo::Level& level = shown->level(i);
    EXPECT_EQ(got.kind, static_cast<int>(level.kind));
    EXPECT_EQ(got.cache_depth, level.cache_depth);
    EXPECT_EQ(got.parent, level.parent);
    EXPECT_EQ(got.first_child, level.first_child);
    EXPECT_EQ(got.child_count, level.child_count);
    EXPECT_EQ(got.first_pu, level.first_pu);
    EXPECT_EQ(got.pu_count, level.pu_count);
  }
}

void compare_entities(const xylem_view& seen) {
  ASSERT_EQ(seen.entity_count, static_cast<int>(shown->entities.size()));
  for (int i = 0; i < seen.entity_count; ++i) {
    const xylem_policy_entity& got = seen.entities[i];
    const plan::Entity& entity = shown->entity(i);
    EXPECT_EQ(got.is_bubble != 0, entity.kind == plan::EntityKind::bubble);
    EXPECT_EQ(got.narrowed != 0, entity.narrowed);
    EXPECT_EQ(got.parent, entity.parent);
    EXPECT_EQ(got.first_child, entity.first_child);
    EXPECT_EQ(got.child_count, entity.child_count);
    EXPECT_EQ(got.count, entity.count);
    EXPECT_EQ(got.threads, entity.threads);
    EXPECT_EQ(got.allowed, entity.allowed);
    EXPECT_EQ(got.level, entity.level);
    EXPECT_EQ(got.held_since, entity.held_since);
    EXPECT_EQ(got.last_pu, entity.last_pu);
    EXPECT_EQ(got.burst_level, entity.burst_level);
    EXPECT_EQ(got.priority, entity.priority);
    EXPECT_EQ(got.load, entity.load);
  }
}

void compare_the_rest(const xylem_view& seen) {
  EXPECT_EQ(seen.top_count, shown->top_count);
  EXPECT_EQ(seen.scope, shown->scope);
  EXPECT_EQ(seen.too_big_percent, 35);
  ASSERT_EQ(seen.node_count, 2);
  EXPECT_EQ(seen.nodes[1], shown->memory.nodes[1]);
  EXPECT_EQ(seen.bytes[5], shown->memory.bytes[5]);
  ASSERT_EQ(seen.place_count, 2);
  ASSERT_EQ(seen.places[1].pu_count, 2);
  EXPECT_EQ(seen.places[1].pus[1], 3);
  EXPECT_EQ(seen.bind, XYLEM_BIND_SPREAD);
  EXPECT_EQ(seen.first_partition_place, 1);
  EXPECT_EQ(seen.partition_count, 1);
  EXPECT_EQ(seen.parent_place, 0);
}

void look(const xylem_view* seen, xylem_random* random, xylem_plan* plan) {
  compare_levels(*seen);
  compare_entities(*seen);
  compare_the_rest(*seen);
  plan::Random same(3);
  EXPECT_EQ(xylem_random_number(random), same.next());
  EXPECT_EQ(xylem_random_below(random, 1000), same.below(1000));
  place_whole(seen, random, plan);
}

TEST(Foreign, SeesAllOfTheView) {
  static xylem_policy object = good();
  object.place = look;
  drawing::Machine machine("node(core*2(pu)) node(cache(pu*2) pu)");
  drawing::Tree tree(
      "A[bytes=7,9 burst=node1]{ x*3[load=4 priority=2] B{ y[allowed=pu2] } } f*4[last=3 "
      "bytes=1,2]",
      machine);
  tree.entities()[1].level = plan::held_back;
  tree.entities()[1].held_since = 6;
  plan::View view = tree.view(1);
  view.tuning.too_big_percent = 35;
  const std::vector<int> one{0, 1};
  const std::vector<int> other{2, 3};
  const std::vector<plan::Place> places{{one}, {other}};
  view.binding = {places, plan::PlaceBinding::spread, {1, 1}, 0};
  ASSERT_FALSE(plan::check(view)) << plan::check(view).what;
  shown = &view;
  EXPECT_EQ(ask(*policy::adopt(&object).policy, view).moves().size(), 2U);
}

TEST(Foreign, NothingSaidIsNothingShown) {
  static xylem_policy object = good();
  object.place = [](const xylem_view* seen, xylem_random* random, xylem_plan* plan) {
    EXPECT_EQ(seen->bytes, nullptr);
    EXPECT_EQ(seen->node_count, 0);
    EXPECT_EQ(seen->place_count, 0);
    place_whole(seen, random, plan);
  };
  drawing::Machine machine("pu*2");
  drawing::Tree tree("f*2", machine);
  EXPECT_EQ(ask(*policy::adopt(&object).policy, tree.view()).moves().size(), 1U);
}

TEST(Foreign, MovesAreWhatTheObjectSaid) {
  static xylem_policy object = good();
  object.place = [](const xylem_view*, xylem_random*, xylem_plan* plan) {
    xylem_burst(plan, 0, 1);
    xylem_move(plan, 4, 3);
    xylem_move_members(plan, 3, 1, 2, 5);
    xylem_hold(plan, 1, 7);
  };
  object.tick = [](const xylem_view*, int bubble, xylem_random*, xylem_plan* plan) {
    xylem_move(plan, bubble, 0);
  };
  const policy::Policy& chosen = *policy::adopt(&object).policy;
  drawing::Machine machine("pu*2");
  drawing::Tree tree("f*2", machine);
  const plan::Plan answer = ask(chosen, tree.view());
  const std::vector<plan::Move> expected{{0, 0, 1, 1, true},
                                         {4, 0, 1, 3, false},
                                         {3, 1, 2, 5, false},
                                         {1, 0, 7, plan::held_back, false}};
  EXPECT_EQ(std::vector<plan::Move>(answer.moves().begin(), answer.moves().end()), expected);
  plan::Plan after;
  plan::Random random(1);
  chosen.tick(tree.view(), 8, random, after);
  ASSERT_EQ(after.moves().size(), 1U);
  EXPECT_EQ(after.moves()[0].entity, 8);
}

// What hooks see besides, and that each is asked of its PU.
int hooks_asked = 0;

void look_at_statistics(const xylem_view* seen, int pu, xylem_random*, xylem_plan* plan) {
  ++hooks_asked;
  ASSERT_NE(seen->uses, nullptr);
  EXPECT_EQ(seen->uses[1].running, 5);
  EXPECT_EQ(seen->uses[1].cpu_ns, 6);
  ASSERT_NE(seen->idle_ns, nullptr);
  EXPECT_EQ(seen->idle_ns[1], 9);
  ASSERT_NE(seen->misses, nullptr);
  EXPECT_EQ(seen->misses[1], 7);
  xylem_move(plan, 0, pu);
}

TEST(Foreign, HooksSeeWhatIsKnown) {
  static xylem_policy object = good();
  object.name = "hooked";
  object.idle = object.wake = look_at_statistics;
  const policy::Policy& chosen = *policy::adopt(&object).policy;
  ASSERT_TRUE(chosen.has_hooks());
  drawing::Machine machine("pu*2");
  drawing::Tree tree("A{ f*2 }", machine);
  plan::View view = tree.view();
  const std::array<plan::Use, 2> uses{{{}, {5, 6, 7}}};
  const std::array<std::int64_t, 2> idle_ns{0, 9};
  view.statistics = {uses, idle_ns, true};
  for (const auto hook : {chosen.idle, chosen.wake}) {
    plan::Plan answer;
    plan::Random random(1);
    hook(view, 2, random, answer);
    ASSERT_EQ(answer.moves().size(), 1U);
    EXPECT_EQ(answer.moves()[0].level, 2);
  }
  EXPECT_EQ(hooks_asked, 2);
}

TEST(Foreign, MetSaysHowManyAreTaken) {
  static xylem_policy object = good();
  object.name = "meeting";
  object.met = [](const xylem_view* seen, int bubble, int pu, xylem_random*) -> xylem_share {
    return {seen->entities[bubble].threads - 1, pu};
  };
  drawing::Machine machine("pu*2");
  drawing::Tree tree("A{ f*4 }", machine);
  plan::Random random(1);
  const plan::Share share = policy::adopt(&object).policy->met(tree.view(), 0, 2, random);
  EXPECT_EQ(share.members, 3);
  EXPECT_EQ(share.rest_level, 2);
}

// As the structures of version 2 were.
struct OldPolicy {
  int version;
  size_t size;
  const char* name;
  const char* help;
  void (*place)(const xylem_view* view, xylem_random* random, xylem_plan* plan);
  void (*tick)(const xylem_view* view, int bubble, xylem_random* random, xylem_plan* plan);
  xylem_policy_steal steal;
  int fills_machine, repeats, sees_all, follows_hints;
};

TEST(Foreign, AnObjectOfVersionTwoRunsAsItDid) {
  // What stands behind it in memory is not its own.
  static struct {
    OldPolicy object;
    void (*behind)();
  } old{{.version = 2,
         .size = sizeof(OldPolicy),
         .name = "old",
         .help = "from before",
         .place = place_whole,
         .tick = nullptr,
         .steal = {XYLEM_STEAL_NONE, 0, 0, 0, 0},
         .fills_machine = 0,
         .repeats = 1,
         .sees_all = 0,
         .follows_hints = 1},
        [] {}};
  const policy::Adoption adoption = policy::adopt(&old);
  ASSERT_NE(adoption.policy, nullptr) << adoption.reason.data();
  EXPECT_FALSE(adoption.policy->has_hooks());
  EXPECT_TRUE(adoption.policy->repeats && adoption.policy->follows_hints());
  EXPECT_EQ(adoption.policy->steal.order, plan::VictimOrder::none);
  drawing::Machine machine("pu*2");
  drawing::Tree tree("f*2", machine);
  EXPECT_EQ(ask(*adoption.policy, tree.view()).moves().size(), 1U);
  xylem_policy wrong = good();
  wrong.version = 2;
  EXPECT_NE(reason(wrong).find("says that xylem_policy has"), std::string::npos);
}

TEST(Foreign, AnObjectOfVersionThreeHasHooks) {
  static xylem_policy object = good();
  object.version = 3;
  object.name = "third";
  object.idle = look_at_statistics;
  const policy::Adoption adoption = policy::adopt(&object);
  ASSERT_NE(adoption.policy, nullptr) << adoption.reason.data();
  EXPECT_TRUE(adoption.policy->has_hooks());
}

TEST(Foreign, MissesThatNobodyCountsAreNotThere) {
  static xylem_policy object = good();
  object.name = "misses";
  object.idle = [](const xylem_view* seen, int, xylem_random*, xylem_plan* plan) {
    EXPECT_NE(seen->uses, nullptr);
    EXPECT_EQ(seen->misses, nullptr);
    xylem_move(plan, 0, 1);
  };
  drawing::Machine machine("pu*2");
  drawing::Tree tree("f*2", machine);
  plan::View view = tree.view();
  const std::array<plan::Use, 1> uses{};
  view.statistics.uses = uses;
  plan::Plan answer;
  plan::Random random(1);
  policy::adopt(&object).policy->idle(view, 1, random, answer);
  EXPECT_EQ(answer.moves().size(), 1U);
}

TEST(Foreign, AnotherVersionIsRefused) {
  xylem_policy object = good();
  object.version = 7;
  EXPECT_EQ(
      reason(object),
      "is built for version 7 of xylem/policy.h, and this Xylem has version 4: build it again "
      "with this Xylem's");
  object = good();
  object.size = 5;
  EXPECT_NE(reason(object).find("says that xylem_policy has 5 bytes"), std::string::npos);
}

TEST(Foreign, WhatIsNotWholeIsRefused) {
  xylem_policy object = good();
  object.place = nullptr;
  EXPECT_EQ(reason(object), "has no place function: set .place");
  object = good();
  object.help = "two\nlines";
  EXPECT_EQ(reason(object), "does not say in one line where threads go: set .help");
  object.help = nullptr;
  EXPECT_EQ(reason(object), "does not say in one line where threads go: set .help");
  object = good();
  object.steal.take = 3;
  EXPECT_NE(reason(object).find("correct .steal"), std::string::npos);
  object.steal = {0, 0, 4, 0, 0};
  EXPECT_NE(reason(object).find("correct .steal"), std::string::npos);
  object.steal = {-1, 0, 0, 0, 0};
  EXPECT_NE(reason(object).find("correct .steal"), std::string::npos);
}

TEST(Foreign, NamesThatMisleadAreRefused) {
  xylem_policy object = good();
  for (const char* none : {"", static_cast<const char*>(nullptr)}) {
    object.name = none;
    EXPECT_EQ(reason(object), "has no name: set .name");
  }
  object.name = "gang-per-node";
  EXPECT_EQ(reason(object), "has the name of a policy of the library: change .name");
  object.name = "one line\nanother";
  EXPECT_NE(reason(object).find("other signs"), std::string::npos);
}

}  // namespace
