// Turns of gangs by a clock that the test turns: who lies on the machine, who aside, and for how
// long.
#include "sched/group/turns.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>

#include "sched/fake_kernel.hpp"
#include "sched/group/holders.hpp"
#include "sched/queue/fiber.hpp"

namespace {

using xylem::sched::Fiber;
using xylem::sched::Holder;
using xylem::sched::HolderKind;
using xylem::sched::lies_aside;
using xylem::sched::lies_nowhere;
using xylem::sched::Order;
using xylem::sched::Pool;
using xylem::sched::Turns;
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

class GangTurns : public testing::Test {
 protected:
  ~GangTurns() override {
    for (Holder* gang : gangs_) {
      rest(*gang);
      turns_.leave(pool_, *gang);
      free_holder(*gang);
    }
  }
  // A gang that has a thread to run for each PU.
  Holder& add_gang() {
    Holder& gang = xylem::sched::make_keeper(HolderKind::team, nullptr);
    gangs_.push_back(&gang);
    for (int i = 0; i < pus; ++i) gang.queue.push_ready(fibers_.emplace_back());
    turns_.arrive(pool_, gang);
    return gang;
  }
  // It has nothing to run any more.
  void rest(Holder& gang) {
    Worker worker;
    while (gang.queue.take(worker, Order::ready_first)) {
    }
  }
  // Who has the turn uses all PUs until the look.
  void look_after(int64_t ns) {
    kernel_.now += ns;
    for (Holder* gang : gangs_)
      if (has_turn(*gang)) gang->kept_cpu_ns += ns * pus;
    turns_.look(pool_, kernel_.now);
  }
  static bool has_turn(const Holder& gang) { return gang.level >= 0; }

  xylem::test::FakeKernel kernel_;
  Pool pool_{two_pus(), settings()};
  Turns turns_{two_pus(), xylem::policy::gang, {}, slice};
  std::deque<Fiber> fibers_;
  std::deque<Holder*> gangs_;
};

TEST_F(GangTurns, TheFirstHasTheTurnAndTheOthersWait) {
  const Holder &first = add_gang(), &second = add_gang(), &third = add_gang();
  EXPECT_TRUE(has_turn(first));
  EXPECT_EQ(second.level, lies_aside);
  EXPECT_EQ(third.level, lies_aside);
}

TEST_F(GangTurns, ASliceLaterTheNextHasIt) {
  const Holder &first = add_gang(), &second = add_gang(), &third = add_gang();
  look_after(slice - 1);
  EXPECT_TRUE(has_turn(first));
  look_after(1);
  EXPECT_EQ(first.level, lies_aside);
  EXPECT_TRUE(has_turn(second));
  look_after(slice);
  EXPECT_TRUE(has_turn(third));
  look_after(slice);
  EXPECT_TRUE(has_turn(first));
}

TEST_F(GangTurns, OneAloneKeepsIt) {
  const Holder& only = add_gang();
  for (int i = 0; i < 10; ++i) {
    look_after(slice);
    EXPECT_TRUE(has_turn(only));
  }
}

TEST_F(GangTurns, WhoHasNothingToRunPassesItsTurnOn) {
  Holder& first = add_gang();
  const Holder& second = add_gang();
  rest(first);
  look_after(ms);
  EXPECT_TRUE(has_turn(first)) << "one look may come between a thread and the queue";
  look_after(ms);
  EXPECT_EQ(first.level, lies_aside);
  EXPECT_TRUE(has_turn(second));
}

TEST_F(GangTurns, WhoHasSomethingToRunAgainTakesAFreeTurn) {
  Holder &first = add_gang(), &second = add_gang();
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

TEST_F(GangTurns, WhoLeavesFreesItsTurn) {
  Holder& first = add_gang();
  const Holder& second = add_gang();
  rest(first);
  turns_.leave(pool_, first);
  EXPECT_EQ(first.level, lies_nowhere);
  EXPECT_TRUE(has_turn(second));
  gangs_.pop_front();
  free_holder(first);
}

TEST_F(GangTurns, WhoIsSetFreeRunsBesideWhoHasTheTurn) {
  const Holder& first = add_gang();
  Holder& second = add_gang();
  turns_.set_free(pool_, second);
  EXPECT_TRUE(has_turn(first));
  EXPECT_EQ(second.level, 0);
  look_after(5 * slice);
  EXPECT_TRUE(has_turn(first)) << "nobody else takes turns";
}

// The monitor looks late, and most often while the same gang has the turn: what that got too much
// is taken off its later slices.
TEST_F(GangTurns, LateLooksTakeNothingFromAnybodyInTheLongRun) {
  const std::array<const Holder*, 3> gangs{&add_gang(), &add_gang(), &add_gang()};
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
