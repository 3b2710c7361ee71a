// The policy's hooks by a clock that the test turns: when they are asked, what they see, and what
// becomes of their answers.
#include "sched/place/hooks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "base/check.hpp"
#include "mem/map/memory.hpp"
#include "mem/map/regions.hpp"
#include "os/memory.hpp"
#include "plan/check.hpp"
#include "sched/fake_kernel.hpp"
#include "sched/group/groups.hpp"
#include "sched/place/search.hpp"
#include "sched/queue/fiber.hpp"

namespace xylem::sched {
namespace {

constexpr int64_t ms = 1'000'000;

// Levels: the machine, two nodes, cores with a PU each.
const topo::Machine& two_nodes() {
  static const auto loaded = topo::load_machine("node:2 core:2 pu:1", true);
  return *loaded.value();
}

// What a hook was asked, and what it is to answer.
struct Asked {
  Hook hook;
  int pu;
  bool operator==(const Asked&) const = default;
};
std::vector<Asked> asked;
std::function<void(const plan::View&, int pu, plan::Plan&)> answer;

void ask(Hook hook, const plan::View& view, int pu, plan::Plan& plan) {
  EXPECT_FALSE(plan::check(view)) << plan::check(view).what;
  asked.push_back({hook, pu});
  if (answer) answer(view, pu, plan);
}

const policy::Policy& hooked() {
  static const policy::Policy made = [] {
    policy::Policy one = policy::cache;
    one.name = "hooked";
    one.idle = [](const plan::View& view, int pu, plan::Random&, plan::Plan& plan) {
      ask(Hook::idle, view, pu, plan);
    };
    one.wake = [](const plan::View& view, int pu, plan::Random&, plan::Plan& plan) {
      ask(Hook::wake, view, pu, plan);
    };
    return one;
  }();
  return made;
}

PoolSettings settings() {
  PoolSettings made;
  made.find = [](Worker&, Order) { return Work{}; };
  made.anything_to_steal = [](Worker&) { return false; };
  return made;
}

// Six members of a team have not begun, and stand in PU 0's queue. Workers never run.
class HooksTest : public testing::Test {
 protected:
  HooksTest() {
    asked.clear();
    answer = nullptr;
    team_.members = 7;
    team_.seed_ranges = ranges_.data();
    for (int pu = 0; pu < 4; ++pu) set(pu, SlotState::awake);
  }
  void let_seeds_wait(Group* group = nullptr) {
    team_.group = group;
    pool_.pu_queue(0).push_fresh(team_.new_seed_range(1, 7));
  }
  void set(int pu, SlotState state) { pool_.slot(pu).state = state; }
  void look_after(int64_t ns) { hooks_.poll(pool_, kernel_.now += ns); }
  // PU 3 idles.
  void let_it_idle() {
    set(3, SlotState::absent);
    look_after(ms);
  }
  static int level_of_pu(int pu) { return two_nodes().pu_level(pu); }
  // Of the node of PUs 2 and 3.
  const int node_of_last = two_nodes().node(1).level;
  int waiting(int level) { return pool_.level_queue(level).waiting(100); }
  std::vector<int> members_at(int level) {
    std::vector<int> members;
    while (const Work work = pool_.level_queue(level).take(taker_, Order::fresh_first))
      members.push_back(work.index);
    return members;
  }

  test::FakeKernel kernel_;
  Pool pool_{two_nodes(), settings()};
  Hooks hooks_{two_nodes(), hooked(), {}};
  Bubble team_;
  std::array<SeedRange, 6> ranges_;
  Taker taker_;
};

TEST_F(HooksTest, IdleIsAskedAtOnceAndThenEverMoreRarely) {
  let_seeds_wait();
  set(3, SlotState::absent);
  std::vector<int> at;
  for (int poll = 0; poll < 40; ++poll) {
    look_after(ms);
    if (!asked.empty()) at.push_back(poll);
    asked.clear();
  }
  EXPECT_EQ(at, (std::vector<int>{0, 2, 4, 8, 16, 32}));
}

TEST_F(HooksTest, NobodyIsAskedWhereNothingWaits) {
  let_it_idle();
  EXPECT_TRUE(asked.empty());
}

TEST_F(HooksTest, SomethingThatComesLaterIsSeenAtTheNextPoll) {
  let_it_idle();
  look_after(ms);
  let_seeds_wait();
  look_after(ms);
  EXPECT_EQ(asked, (std::vector<Asked>{{Hook::idle, 3}}));
}

TEST_F(HooksTest, WhoSearchesIdlesAfterTwoMilliseconds) {
  let_seeds_wait();
  set(1, SlotState::searching);
  look_after(ms);
  EXPECT_TRUE(asked.empty());
  look_after(2 * ms);
  EXPECT_EQ(asked, (std::vector<Asked>{{Hook::idle, 1}}));
}

TEST_F(HooksTest, TimeWithoutARegionIsNotIdle) {
  let_seeds_wait();
  set(3, SlotState::searching);
  look_after(ms);
  look_after(500 * ms);
  EXPECT_TRUE(asked.empty()) << "no poll came for so long: no region was open";
  look_after(2 * ms);
  EXPECT_EQ(asked.size(), 1U);
}

TEST_F(HooksTest, WakeIsAskedOnceOfWhoIdledForLong) {
  let_seeds_wait();
  set(2, SlotState::searching);
  look_after(ms);
  set(2, SlotState::awake);
  look_after(ms);
  EXPECT_TRUE(asked.empty()) << "a moment";
  let_it_idle();
  look_after(ms);
  look_after(ms / 2);
  set(3, SlotState::awake);
  look_after(ms);
  look_after(ms);
  EXPECT_EQ(asked, (std::vector<Asked>{{Hook::idle, 3}, {Hook::wake, 3}}));
}

TEST_F(HooksTest, WhoWasToldOfAnIdlePuIsToldThatItRunsHoweverLateTheMonitorIs) {
  let_seeds_wait();
  pool_.stealable().set(level_of_pu(0));
  set(3, SlotState::parked);
  kernel_.now += 500 * ms;
  hooks_.record_sleep(pool_, 3);
  hooks_.poll_recorded(pool_, kernel_.now);
  set(3, SlotState::awake);
  look_after(500 * ms);
  EXPECT_EQ(asked, (std::vector<Asked>{{Hook::idle, 3}, {Hook::wake, 3}}));
}

// What workers tell is asked without waiting for the next poll, once.
TEST_F(HooksTest, WorkersTellWhenTheyFallAsleepAndWhenTheyRunAgain) {
  let_seeds_wait();
  pool_.stealable().set(level_of_pu(0));
  set(3, SlotState::parked);
  hooks_.record_sleep(pool_, 3);
  hooks_.record_sleep(pool_, 3);
  hooks_.poll_recorded(pool_, kernel_.now);
  hooks_.poll_recorded(pool_, kernel_.now);
  EXPECT_EQ(asked, (std::vector<Asked>{{Hook::idle, 3}}));
  hooks_.record_run(pool_, 2);
  hooks_.poll_recorded(pool_, kernel_.now);
  EXPECT_EQ(asked.size(), 1U) << "it has not idled";
  set(3, SlotState::awake);
  hooks_.record_run(pool_, 3);
  hooks_.poll_recorded(pool_, kernel_.now);
  EXPECT_EQ(asked, (std::vector<Asked>{{Hook::idle, 3}, {Hook::wake, 3}}));
}

TEST_F(HooksTest, WhereNothingCanBeTakenNobodyTells) {
  set(3, SlotState::parked);
  hooks_.record_sleep(pool_, 3);
  let_seeds_wait();
  hooks_.poll_recorded(pool_, kernel_.now);
  EXPECT_TRUE(asked.empty());
}

TEST_F(HooksTest, MembersGoWhereTheAnswerSays) {
  let_seeds_wait();
  answer = [this](const plan::View&, int pu, plan::Plan& plan) {
    plan.burst(0, level_of_pu(0));
    plan.move_members(1, 1, 2, level_of_pu(pu));
    plan.move_members(1, 4, 1, node_of_last);
    plan.move_members(1, 0, 1, level_of_pu(0));
    plan.move_members(1, 3, 1, level_of_pu(0));
    plan.move_members(1, 5, 1, level_of_pu(0));
  };
  let_it_idle();
  EXPECT_EQ(members_at(level_of_pu(3)), (std::vector<int>{2, 3}));
  EXPECT_EQ(members_at(node_of_last), (std::vector<int>{5}));
  std::vector<int> left = members_at(level_of_pu(0));
  std::ranges::sort(left);
  EXPECT_EQ(left, (std::vector<int>{1, 4, 6}));
  EXPECT_EQ(kernel_.started, 1) << "PU 3 gets its kernel thread";
}

TEST_F(HooksTest, AClosedBubbleGoesWithAllMembers) {
  let_seeds_wait();
  answer = [this](const plan::View&, int, plan::Plan& plan) { plan.move(0, node_of_last); };
  let_it_idle();
  EXPECT_EQ(members_at(node_of_last).size(), 6U);
  EXPECT_EQ(waiting(level_of_pu(0)), 0);
}

TEST_F(HooksTest, WhatBeganMeanwhileIsLeftOut) {
  let_seeds_wait();
  std::vector<int> began;
  answer = [&](const plan::View&, int, plan::Plan& plan) {
    began.push_back(pool_.pu_queue(0).take(taker_, Order::fresh_first).index);
    plan.burst(0, level_of_pu(0));
    plan.move_members(1, 0, 3, node_of_last);
    plan.move_members(1, 3, 3, level_of_pu(2));
  };
  let_it_idle();
  EXPECT_EQ(began, (std::vector<int>{1}));
  EXPECT_EQ(members_at(node_of_last), (std::vector<int>{2, 3}));
  EXPECT_EQ(members_at(level_of_pu(2)), (std::vector<int>{4, 5, 6}));
}

TEST_F(HooksTest, WhatIsGoneMeanwhileGoesNowhere) {
  let_seeds_wait();
  answer = [&](const plan::View&, int, plan::Plan& plan) {
    EXPECT_EQ(members_at(level_of_pu(0)).size(), 6U);
    plan.move(0, node_of_last);
  };
  let_it_idle();
  EXPECT_EQ(asked.size(), 1U);
  EXPECT_EQ(waiting(node_of_last), 0);
}

TEST_F(HooksTest, AFiberGoesAlone) {
  Fiber fiber;
  fiber.pu = 1;
  pool_.pu_queue(1).push_ready(fiber);
  answer = [this](const plan::View& view, int, plan::Plan& plan) {
    ASSERT_EQ(view.top_count, 1);
    EXPECT_EQ(view.entity(0).kind, plan::EntityKind::run);
    EXPECT_EQ(view.entity(0).last_pu, 1);
    plan.move(0, node_of_last);
  };
  let_it_idle();
  EXPECT_EQ(pool_.level_queue(node_of_last).take(taker_, Order::ready_first).fiber, &fiber);
}

TEST_F(HooksTest, WhoMayRunNowhereElseIsNotShown) {
  Fiber fiber;
  fiber.external_only = true;
  pool_.pu_queue(1).push_ready(fiber);
  let_it_idle();
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(pool_.pu_queue(1).count(), 1);
}

TEST_F(HooksTest, TheViewSaysWhatIsKnown) {
  Group& group = make_group(GroupKind::team, nullptr, nullptr);
  group.running = 2;
  group.cpu_ns = 77;
  let_seeds_wait(&group);
  answer = [this](const plan::View& view, int, plan::Plan&) {
    ASSERT_EQ(view.entities.size(), 2U);
    EXPECT_EQ(view.entity(0).level, level_of_pu(0));
    EXPECT_EQ(view.entity(1).count, 6);
    EXPECT_EQ(view.statistics.uses[0].running, 2);
    EXPECT_EQ(view.statistics.uses[0].cpu_ns, 77);
    EXPECT_FALSE(view.statistics.counts_misses);
    ASSERT_EQ(view.statistics.idle_ns.size(), 4U);
    EXPECT_EQ(view.statistics.idle_ns[0], 0);
    EXPECT_EQ(view.statistics.idle_ns[3], 1) << "from now on";
  };
  let_it_idle();
  EXPECT_EQ(asked.size(), 1U);
  free_group(group);
}

// Bubbles that are met ----------------------------------------------------------------------------

plan::Share share;
int met_asked = 0;

const policy::Policy& meeting() {
  static const policy::Policy made = [] {
    policy::Policy one = policy::cache;
    one.name = "meeting";
    one.met = [](const plan::View& view, int bubble, int, plan::Random&) {
      EXPECT_FALSE(plan::check(view)) << plan::check(view).what;
      EXPECT_EQ(view.entity(bubble).kind, plan::EntityKind::bubble);
      ++met_asked;
      return share;
    };
    return one;
  }();
  return made;
}

Hooks* meeting_hooks = nullptr;

// A worker of PU 3 looks for something to run.
class Meeting : public HooksTest {
 protected:
  Meeting() {
    meeting_hooks = &met_hooks_;
    met_asked = 0;
    worker_.pool = &pool_;
    worker_.serve(3);
  }
  Work find() {
    return search_.find_asking(worker_, Order::ready_first,
                               [](Worker& worker, RunQueue& queue, const RunQueue::Standing& met) {
                                 return meeting_hooks->take_met(worker, queue, met);
                               });
  }

  Hooks met_hooks_{two_nodes(), meeting(), {}};
  Search search_{two_nodes(), policy::cache.steal, 0};
  Worker worker_;
};

TEST_F(Meeting, SoManyMembersComeAndTheOthersGoWhereTheAnswerSays) {
  share = {2, node_of_last};
  let_seeds_wait();
  EXPECT_EQ(find().index, 5) << "the last ones come";
  EXPECT_EQ(members_at(level_of_pu(3)), (std::vector<int>{6}));
  EXPECT_EQ(members_at(node_of_last), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(waiting(level_of_pu(0)), 0);
  EXPECT_EQ(met_asked, 1);
}

TEST_F(Meeting, TheOthersMayStay) {
  share = {1, -1};
  pool_.level_queue(0).push_fresh(team_.new_seed_range(1, 7));
  EXPECT_EQ(find().index, 6);
  EXPECT_EQ(find().index, 5);
  EXPECT_EQ(waiting(0), 4);
  EXPECT_EQ(met_asked, 2);
}

TEST_F(Meeting, AllMayCome) {
  share = {6, 0};
  let_seeds_wait();
  EXPECT_EQ(find().index, 1);
  EXPECT_EQ(members_at(level_of_pu(3)), (std::vector<int>{2, 3, 4, 5, 6}));
}

TEST_F(Meeting, NoAnswerIsAsUsual) {
  share = {};
  let_seeds_wait();
  EXPECT_EQ(find().index, 4) << "half of them";
  EXPECT_EQ(met_asked, 1);
}

TEST_F(Meeting, NobodyIsAskedOfWhatIsAtThePuItselfOrAlone) {
  share = {1, -1};
  pool_.pu_queue(3).push_fresh(team_.new_seed_range(1, 4));
  EXPECT_EQ(find().index, 1);
  EXPECT_EQ(find().index, 2);
  EXPECT_EQ(find().index, 3);
  pool_.level_queue(0).push_fresh(team_.new_seed_range(4, 5));
  EXPECT_EQ(find().index, 4);
  EXPECT_EQ(met_asked, 0);
}

TEST_F(Meeting, AFiberThatIsReadyGoesFirst) {
  Fiber fiber;
  pool_.level_queue(0).push_ready(fiber);
  pool_.level_queue(0).push_fresh(team_.new_seed_range(1, 3));
  EXPECT_EQ(find().fiber, &fiber);
  EXPECT_EQ(met_asked, 0);
}

TEST_F(Meeting, WhatIsGoneIsNotTaken) {
  share = {2, -1};
  RunQueue& queue = pool_.level_queue(0);
  queue.push_fresh(team_.new_seed_range(1, 4));
  RunQueue::Standing met;
  ASSERT_TRUE(queue.meet(worker_, Order::ready_first, load_of, met));
  EXPECT_EQ(members_at(0).size(), 3U);
  EXPECT_FALSE(met_hooks_.take_met(worker_, queue, met));
}

using HooksDeathTest = HooksTest;

// In a process of its own, as memory is started once.
TEST_F(HooksDeathTest, TheViewSaysWhereTheMemoryOfABubbleIs) {
  const auto look = [this] {
    mem::start(two_nodes());
    Group& bubble = make_group(GroupKind::program, nullptr, nullptr);
    const size_t bytes = 4 * os::page_size();
    void* memory = mem::map_placed(bytes, {.placement = mem::Placement::node, .node = 1});
    std::memset(memory, 1, bytes);
    EXPECT_TRUE(mem::regions().set_owner(reinterpret_cast<uintptr_t>(memory),
                                         {mem::OwnerKind::bubble, 0, bubble.number}));
    let_seeds_wait(&bubble);
    answer = [&](const plan::View& view, int, plan::Plan&) {
      ASSERT_EQ(view.memory.nodes.size(), 2U);
      ASSERT_EQ(view.memory.bytes.size(), 4U);
      EXPECT_EQ(view.memory.bytes[0], 0);
      EXPECT_EQ(view.memory.bytes[1], static_cast<int64_t>(bytes));
      EXPECT_EQ(view.memory.bytes[3], 0) << "what is known is the bubble's";
    };
    let_it_idle();
    EXPECT_EQ(asked.size(), 1U);
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(look(), testing::ExitedWithCode(0), "");
}

TEST_F(HooksDeathTest, WhatTakesNoTurnsIsNotHeldBack) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  let_seeds_wait();
  answer = [](const plan::View&, int, plan::Plan& plan) { plan.hold(0, 1); };
  EXPECT_DEATH(let_it_idle(), "policy \"hooked\": holds back what takes no turns .entity 0, idle.");
}

TEST_F(HooksDeathTest, AnAnswerThatLosesMembersEndsTheProgram) {
  if (!base::kChecked) GTEST_SKIP() << "this build trusts the library's policies";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  let_seeds_wait();
  answer = [this](const plan::View&, int, plan::Plan& plan) {
    plan.burst(0, level_of_pu(0));
    plan.move_members(1, 0, 2, node_of_last);
  };
  EXPECT_DEATH(let_it_idle(), "policy \"hooked\": is placed in part: members are lost .entity 1, ");
}
}  // namespace
}  // namespace xylem::sched
