// Turns of gangs by a clock that the test turns: who is attached to the machine, who is suspended,
// and for how long.
#include "sched/group/gang_scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <random>
#include <utility>

#include "sched/fake_kernel.hpp"
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

constexpr int64_t us = 1'000, ms = 1'000'000, slice = 10 * ms;
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
  explicit Gangs(const xylem::policy::Policy& policy = xylem::policy::gang,
                 int64_t slice_ns = slice)
      : gangs_(two_pus(), policy, {}, slice_ns) {}
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
  // Who has the turn uses all PUs until the poll.
  void look_after(int64_t ns) {
    kernel_.now += ns;
    for (Group* gang : alive_)
      if (has_turn(*gang)) gang->unit_cpu_ns += ns * pus;
    gangs_.poll(pool_, kernel_.now);
  }
  static bool has_turn(const Group& gang) { return gang.level >= 0; }
  // Looks come every `usual` nanoseconds, and one in four `late` while the first gang has the turn.
  // How long each of three gangs had it.
  std::array<int64_t, 3> turns_with_late_polls(int64_t usual, int64_t late) {
    const std::array<const Group*, 3> gangs{&add_gang(), &add_gang(), &add_gang()};
    std::array<int64_t, 3> had{};
    std::mt19937 random(1);
    constexpr int polls = 20'000;
    for (int i = 0; i < polls; ++i) {
      const int64_t ns = has_turn(*gangs[0]) && random() % 4 == 0 ? late : usual;
      for (size_t g = 0; g < gangs.size(); ++g)
        if (has_turn(*gangs[g])) had[g] += ns;
      look_after(ns);
    }
    return had;
  }

  xylem::test::FakeKernel kernel_;
  Pool pool_{two_pus(), settings()};
  GangScheduler gangs_;
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
  EXPECT_TRUE(has_turn(first)) << "one poll may come between a thread and the queue";
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

// The monitor polls late, and most often while the same gang has the turn: what that got too much
// is taken off its later slices.
TEST_F(Gangs, LateLooksTakeNothingFromAnybodyInTheLongRun) {
  const std::array<int64_t, 3> had = turns_with_late_polls(ms, 7 * ms);
  for (const int64_t ns : had) EXPECT_NEAR(ns / slice, had[0] / slice, 10);
}

// The paper's slices of 0.2 ms, on a machine so busy that polls come up to 35 slices late.
class ShortSlices : public Gangs {
 protected:
  static constexpr int64_t short_slice = 200 * us;
  ShortSlices() : Gangs(xylem::policy::gang, short_slice) {}
};

TEST_F(ShortSlices, EachEndsInTime) {
  const std::array<const Group*, 3> gangs{&add_gang(), &add_gang(), &add_gang()};
  for (size_t turn = 0; turn < 300; ++turn) {
    EXPECT_TRUE(has_turn(*gangs[turn % 3]));
    look_after(short_slice / 2);
    EXPECT_TRUE(has_turn(*gangs[turn % 3]));
    look_after(short_slice / 2);
  }
}

TEST_F(ShortSlices, LateLooksTakeNothingFromAnybodyInTheLongRun) {
  const std::array<int64_t, 3> had = turns_with_late_polls(short_slice / 2, 7 * ms);
  const double third = static_cast<double>(had[0] + had[1] + had[2]) / 3;
  for (const int64_t ns : had) EXPECT_NEAR(static_cast<double>(ns) / third, 1, 0.02);
}

TEST_F(Gangs, ABubbleMayHaveSlicesOfItsOwn) {
  Group& first = add_gang();
  const Group& second = add_gang();
  first.slice_ns = slice / 4;
  for (int round = 0; round < 20; ++round) {
    EXPECT_TRUE(has_turn(first));
    look_after(slice / 4);
    EXPECT_TRUE(has_turn(second));
    look_after(slice / 4);
    EXPECT_TRUE(has_turn(second)) << "its own is longer";
    look_after(slice - slice / 4);
  }
}

// A slice that is shorter than the monitor's polls: the shares come out as told.
TEST_F(Gangs, SharesAreAsSlicesAre) {
  Group &first = add_gang(), &second = add_gang();
  first.slice_ns = ms / 5;
  second.slice_ns = 2 * ms / 5;
  std::array<int64_t, 2> had{};
  for (int i = 0; i < 20'000; ++i) {
    had[0] += has_turn(first) ? ms : 0;
    had[1] += has_turn(second) ? ms : 0;
    look_after(ms);
  }
  EXPECT_NEAR(static_cast<double>(had[1]) / static_cast<double>(had[0]), 2, 0.05);
}

// While a policy thinks ---------------------------------------------------------------------------

std::function<void()> meanwhile;  // happens once, as if another thread did it
void let_it_happen() {
  if (const auto happens = std::exchange(meanwhile, nullptr)) happens();
}

const xylem::policy::Policy& slow_gang() {
  static const xylem::policy::Policy slow = [] {
    xylem::policy::Policy made = xylem::policy::gang;
    made.place = [](const xylem::plan::View& view, xylem::plan::Random& random,
                    xylem::plan::Plan& plan) {
      xylem::policy::gang.place(view, random, plan);
      let_it_happen();
    };
    made.tick = [](const xylem::plan::View& view, int bubble, xylem::plan::Random& random,
                   xylem::plan::Plan& plan) {
      xylem::policy::gang.tick(view, bubble, random, plan);
      let_it_happen();
    };
    return made;
  }();
  return slow;
}

class SlowGangs : public Gangs {
 protected:
  SlowGangs() : Gangs(slow_gang()) {}
  int turns() const {
    return static_cast<int>(
        std::count_if(alive_.begin(), alive_.end(), [](Group* gang) { return has_turn(*gang); }));
  }
};

TEST_F(SlowGangs, AnotherMayArrive) {
  meanwhile = [this] { add_gang(); };
  add_gang();
  ASSERT_EQ(alive_.size(), 2u);
  EXPECT_EQ(turns(), 1);
  for (Group* gang : alive_) EXPECT_NE(gang->level, detached);
}

TEST_F(SlowGangs, AnotherMayLeave) {
  Group& first = add_gang();
  const Group& second = add_gang();
  meanwhile = [&] { gangs_.set_free(pool_, first); };
  const Group& third = add_gang();
  EXPECT_EQ(first.level, 0) << "it takes turns no more";
  EXPECT_EQ(has_turn(second) + has_turn(third), 1);
}

TEST_F(SlowGangs, AnotherMayArriveAtTheEndOfASlice) {
  const Group& first = add_gang();
  const Group& second = add_gang();
  meanwhile = [this] { add_gang(); };
  look_after(slice);
  EXPECT_EQ(first.level, suspended) << "its slice ended all the same";
  EXPECT_TRUE(has_turn(second));
  EXPECT_EQ(turns(), 1);
}

TEST_F(SlowGangs, TheLockIsFree) {
  bool taken = false;
  meanwhile = [&] {
    gangs_.before_fork();
    gangs_.after_fork(false);
    taken = true;
  };
  const Group& gang = add_gang();
  EXPECT_TRUE(taken);
  EXPECT_TRUE(has_turn(gang));
}

}  // namespace
