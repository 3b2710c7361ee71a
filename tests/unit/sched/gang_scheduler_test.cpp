// GangScheduler of gangs by a clock that the test turns: who lies on the machine, who aside, and
// for how long.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>

#include "sched/fake_kernel.hpp"
#include "sched/group/gang_scheduler.hpp"
#include "sched/group/groups.hpp"
#include "sched/queue/fiber.hpp"

namespace {

using xylem::sched::detached;
using xylem::sched::Fiber;
using xylem::sched::GangScheduler;
using xylem::sched::Group;
using xylem::sched::GroupKind;
using xylem::sched::Order;
using xylem::sched::Pool;
using xylem::sched::suspended;
using xylem::sched::Work;
using xylem::sched::Worker;

constexpr int64_t ms = 1'000'000, slice = 10 * ms;
constexpr int pus = 2;

const xylem::topo::Machine& two_pus() {
  static const auto loaded = xylem::topo::load_machine("pu:2", true);
  return *loaded.value();
}

xylem::sched::PoolSettings settings() {
  xylem::sched::PoolSettings made;
  made.find = [](Worker&, Order) { return Work{}; };
  made.anything_to_steal = [](Worker&) { return false; };
  return made;
}

class Gangs : public testing::Test {
 protected:
  ~Gangs() override {
    for (Group* gang : alive_) {
      rest(*gang);
      gangs_.leave(pool_, *gang);
      free_group(*gang);
    }
  }
  // A gang that has a thread to run for each PU.
  Group& add_gang() {
    Group& gang = xylem::sched::make_scheduled_group(GroupKind::team, nullptr);
    alive_.push_back(&gang);
    for (int i = 0; i < pus; ++i) gang.queue.push_ready(fibers_.emplace_back());
    gangs_.arrive(pool_, gang);
    return gang;
  }
  // It has nothing to run any more.
  void rest(Group& gang) {
    Worker worker;
    while (gang.queue.take(worker, Order::ready_first)) {
    }
  }
  // Who has the turn uses all PUs until the look.
  void look_after(int64_t ns) {
    kernel_.now += ns;
    for (Group* gang : alive_)
      if (has_turn(*gang)) gang->unit_cpu_ns += ns * pus;
    gangs_.look(pool_, kernel_.now);
  }
  static bool has_turn(const Group& gang) { return gang.level >= 0; }

  xylem::test::FakeKernel kernel_;
  Pool pool_{two_pus(), settings()};
  GangScheduler gangs_{two_pus(), xylem::policy::gang, {}, slice};
  std::deque<Fiber> fibers_;
  std::deque<Group*> alive_;
};

TEST_F(Gangs, TheFirstHasTheTurnAndTheOthersWait) {
  const Group &first = add_gang(), &second = add_gang(), &third = add_gang();
  EXPECT_TRUE(has_turn(first));
  EXPECT_EQ(second.level, suspended);
  EXPECT_EQ(third.level, suspended);
}

TEST_F(Gangs, ASliceLaterTheNextHasIt) {
  const Group &first = add_gang(), &second = add_gang(), &third = add_gang();
  look_after(slice - 1);
  EXPECT_TRUE(has_turn(first));
  look_after(1);
  EXPECT_EQ(first.level, suspended);
  EXPECT_TRUE(has_turn(second));
  look_after(slice);
  EXPECT_TRUE(has_turn(third));
  look_after(slice);
  EXPECT_TRUE(has_turn(first));
}

TEST_F(Gangs, OneAloneKeepsIt) {
  const Group& only = add_gang();
  for (int i = 0; i < 10; ++i) {
    look_after(slice);
    EXPECT_TRUE(has_turn(only));
  }
}

TEST_F(Gangs, WhoHasNothingToRunPassesItsTurnOn) {
  Group& first = add_gang();
  const Group& second = add_gang();
  rest(first);
  look_after(ms);
  EXPECT_TRUE(has_turn(first)) << "one look may come between a thread and the queue";
  look_after(ms);
  EXPECT_EQ(first.level, suspended);
  EXPECT_TRUE(has_turn(second));
}

TEST_F(Gangs, WhoHasSomethingToRunAgainTakesAFreeTurn) {
  Group &first = add_gang(), &second = add_gang();
  rest(first);
  look_after(ms);
  look_after(ms);
  ASSERT_TRUE(has_turn(second));
  rest(second);
  first.queue.push_ready(fibers_.emplace_back());
  look_after(ms);
  look_after(ms);
  look_after(ms);
  EXPECT_TRUE(has_turn(first));
}

TEST_F(Gangs, WhoLeavesFreesItsTurn) {
  Group& first = add_gang();
  const Group& second = add_gang();
  rest(first);
  gangs_.leave(pool_, first);
  EXPECT_EQ(first.level, detached);
  EXPECT_TRUE(has_turn(second));
  alive_.pop_front();
  free_group(first);
}

TEST_F(Gangs, WhoIsSetFreeRunsBesideWhoHasTheTurn) {
  const Group& first = add_gang();
  Group& second = add_gang();
  gangs_.set_free(pool_, second);
  EXPECT_TRUE(has_turn(first));
  EXPECT_EQ(second.level, 0);
  look_after(5 * slice);
  EXPECT_TRUE(has_turn(first)) << "nobody else takes turns";
}

// The monitor looks late, and most often while the same gang has the turn: what that got too much
// is taken off its later slices.
TEST_F(Gangs, LateLooksTakeNothingFromAnybodyInTheLongRun) {
  const std::array<const Group*, 3> gangs{&add_gang(), &add_gang(), &add_gang()};
  std::array<int64_t, 3> had{};
  std::mt19937 random(1);
  constexpr int looks = 20'000;
  for (int i = 0; i < looks; ++i) {
    const bool late = has_turn(*gangs[0]) && random() % 4 == 0;
    const int64_t ns = late ? 7 * ms : ms;
    for (size_t g = 0; g < gangs.size(); ++g)
      if (has_turn(*gangs[g])) had[g] += ns;
    look_after(ns);
  }
  for (const int64_t ns : had) EXPECT_NEAR(ns / slice, had[0] / slice, 10);
}

}  // namespace
