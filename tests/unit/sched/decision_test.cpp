// Asking a policy: what is said of one that breaks the laws, and of one that does not return.
#include "sched/group/decision.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/check.hpp"
#include "plan/check.hpp"
#include "sched/place/engine.hpp"

namespace {

namespace plan = xylem::plan;
namespace policy = xylem::policy;
using xylem::sched::decide_place;
using xylem::sched::decide_tick;
using xylem::sched::watch_decisions;

constexpr int64_t second = 1'000'000'000;

const xylem::topo::Machine& two_nodes() {
  static const auto loaded = xylem::topo::load_machine("node:2 core:2 pu:1", true);
  return *loaded.value();
}

using Place = decltype(policy::Policy::place);
using Tick = decltype(policy::Policy::tick);

policy::Policy made(const char* name, Place place, Tick tick = nullptr) {
  return {.name = name,
          .help = "for tests",
          .place = place,
          .tick = tick,
          .steal = {},
          .fills_machine = false,
          .repeats = false};
}

void place(const policy::Policy& chosen) {
  std::array<plan::Entity, 2> memory;
  plan::Plan answer;
  plan::Random random(1);
  decide_place(chosen, plan::flat_team(two_nodes().levels(), memory, 4, 0), random, answer);
}

void tick(const policy::Policy& chosen) {
  std::array<plan::Entity, 2> memory;
  plan::View view = plan::flat_team(two_nodes().levels(), memory, 4, 0);
  memory[0].level = 0;
  plan::Plan answer;
  plan::Random random(1);
  decide_tick(chosen, view, 0, random, answer);
}

void whole(const plan::View&, plan::Random&, plan::Plan& answer) { answer.move(0, 0); }

TEST(Decision, FillsThePlanAnew) {
  std::array<plan::Entity, 2> memory;
  const plan::View view = plan::flat_team(two_nodes().levels(), memory, 4, 0);
  plan::Plan answer;
  plan::Random random(1);
  decide_place(policy::cache, view, random, answer);
  const std::size_t moves = answer.moves().size();
  decide_place(policy::cache, view, random, answer);
  EXPECT_EQ(answer.moves().size(), moves);
  EXPECT_GT(moves, 0U);
}

// Ticks are tested in processes of their own: the watcher that they start has its own time.
void idle(const plan::View&, int, plan::Random&, plan::Plan&) {}

TEST(DecisionDeathTest, ATickMayLeaveAllAsItIs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto leave = [] {
    tick(made("idle", whole, idle));
    std::quick_exit(0);
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(0), "");
}

class CheckedDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!xylem::base::kChecked) GTEST_SKIP() << "this build trusts the library's policies";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(CheckedDeathTest, ABrokenLawIsNamed) {
  EXPECT_DEATH(place(made("forgets", [](const plan::View&, plan::Random&, plan::Plan&) {})),
               "fatal: policy \"forgets\": is not placed \\(entity 0, move -1 of place\\)");
  EXPECT_DEATH(place(made("nowhere", [](const plan::View&, plan::Random&,
                                        plan::Plan& answer) { answer.move(0, 99); })),
               "fatal: policy \"nowhere\": moves to no level of the machine");
}

TEST_F(CheckedDeathTest, MovesWithoutEndAreNamed) {
  EXPECT_DEATH(place(made("floods",
                          [](const plan::View&, plan::Random&, plan::Plan& answer) {
                            for (;;) answer.move(0, 0);
                          })),
               "fatal: policy \"floods\": makes more moves than there is to move");
  EXPECT_DEATH(tick(made("floods", whole,
                         [](const plan::View&, int, plan::Random&, plan::Plan& answer) {
                           for (;;) answer.move(0, 0);
                         })),
               "fatal: policy \"floods\": makes more moves than there is to move");
}

TEST_F(CheckedDeathTest, ATickThatHoldsEverythingIsNamed) {
  EXPECT_DEATH(tick(made("holds", whole,
                         [](const plan::View&, int, plan::Random&, plan::Plan& answer) {
                           answer.hold(0, 1);
                         })),
               "fatal: policy \"holds\": is held back though nothing else could run");
}

// A policy that thinks until it is let go.
std::atomic<bool> thinks{false};
std::atomic<bool> let_go{false};
void think(const plan::View& view, plan::Random& random, plan::Plan& answer) {
  thinks = true;
  while (!let_go) std::this_thread::yield();
  whole(view, random, answer);
}

class Thinker {
 public:
  explicit Thinker(const policy::Policy& chosen) {
    thinks = let_go = false;
    thread_ = std::thread([&chosen] { place(chosen); });
    while (!thinks) std::this_thread::yield();
  }
  ~Thinker() {
    let_go = true;
    thread_.join();
  }

 private:
  std::thread thread_;
};

// Looks every 50 ms from `from` on for `length`.
void look(int64_t from, int64_t length) {
  for (int64_t now = from; now <= from + length; now += second / 20) watch_decisions(now, second);
}

TEST_F(CheckedDeathTest, OneThatDoesNotAnswerIsNamed) {
  const policy::Policy chosen = made("thinks", think);
  const Thinker thinker(chosen);
  auto die = [&] {
    // The death test's child starts anew: its thinker is the one made above, in its own process.
    look(second, 3 * second);
  };
  EXPECT_DEATH(die(), "fatal: policy \"thinks\": has not answered for 1 s \\(place\\)");
}

// Nobody but the watcher looks here, and it waits as long as it does in programs.
TEST_F(CheckedDeathTest, ATickThatDoesNotReturnIsNamedThoughNobodyLooks) {
  EXPECT_DEATH(tick(made("stuck", whole,
                         [](const plan::View&, int, plan::Random&, plan::Plan&) {
                           while (!let_go) std::this_thread::yield();
                         })),
               "fatal: policy \"stuck\": has not answered for 10 s \\(tick\\)");
}

TEST_F(CheckedDeathTest, TheWatcherWakesAgain) {
  auto die = [] {
    tick(made("idle", whole, idle));
    std::this_thread::sleep_for(std::chrono::seconds(2));  // it sleeps by now, or is about to
    tick(made("stuck", whole, [](const plan::View&, int, plan::Random&, plan::Plan&) {
      while (!let_go) std::this_thread::yield();
    }));
  };
  EXPECT_DEATH(die(), "fatal: policy \"stuck\": has not answered for 10 s");
}

TEST(Watch, AllowsTheTimeThatIsLimited) {
  const policy::Policy chosen = made("thinks", think);
  const Thinker thinker(chosen);
  look(second, second * 9 / 10);
}

TEST(Watch, ATimeWithoutLooksIsNotThePolicys) {
  const policy::Policy chosen = made("thinks", think);
  const Thinker thinker(chosen);
  watch_decisions(second, second);
  watch_decisions(100 * second, second);
  watch_decisions(200 * second, second);
}

TEST(Watch, ManyShortDecisionsAreNoLongOne) {
  const policy::Policy chosen = made("thinks", think);
  for (int i = 0; i < 5; ++i) {
    const Thinker thinker(chosen);
    look((i + 1) * second, second / 2);
  }
  look(10 * second, 2 * second);  // nobody thinks
}

// `spread` as `XYLEM_SPREAD_THRESHOLD` tunes it: what the engine's views say.
std::atomic<int> seen_percent{0};
TEST(Tuning, IsInWhatThePolicySees) {
  static const policy::Policy chosen =
      made("looks", [](const plan::View& view, plan::Random& random, plan::Plan& answer) {
        seen_percent = view.tuning.too_big_percent;
        policy::cache.place(view, random, answer);
      });
  const plan::TeamTree tree{{.n = 3, .loads = {1, 2, 3}}};
  (void)xylem::sched::Engine(two_nodes(), chosen, {.too_big_percent = 42}).levels_of(tree);
  EXPECT_EQ(seen_percent, 42);
  (void)xylem::sched::Engine(two_nodes(), chosen).levels_of(tree);
  EXPECT_EQ(seen_percent, 100);
}

}  // namespace
