// How many workers run beside programs that do not divide: a process drawn on a clock of its own.
#include "sched/share/trial.hpp"

#include <gtest/gtest.h>

namespace xylem::sched {
namespace {

constexpr int64_t ms = 1'000'000;

// A process of `workers`, beside others that take processors from them: what each millisecond
// brings, by how many of its workers run.
struct Drawn {
  struct Brings {
    int64_t ran_us, delayed_us, arrivals;
  };
  int workers = 2;
  Brings with_all{}, with_fewer{};

  int64_t now = 1;
  WorkersUse use{};
  Trial trial{};
  int rounds = 0;

  int most() const { return trial.most(workers); }
  void look_after_ms() {
    const Brings& it = most() == workers ? with_all : with_fewer;
    use = {use.ran_ns + it.ran_us * 1000, use.delayed_ns + it.delayed_us * 1000,
           use.arrivals + it.arrivals};
    now += ms;
    trial.poll(now, workers, [this](Trial::Phase, int round) {
      rounds = round;
      return use;
    });
  }
  // For how many of so many milliseconds fewer workers run.
  int fewer_of(int milliseconds) {
    int sum = 0;
    for (int i = 0; i < milliseconds; ++i) {
      look_after_ms();
      sum += most() != workers;
    }
    return sum;
  }
};

// Two workers on two processors beside one thread. Members that wait for each other sleep and wake
// all the time; one worker has a processor for itself.
constexpr Drawn coupled{.with_all = {1300, 500, 90}, .with_fewer = {1000, 0, 0}};
// The same where nobody waits for another.
constexpr Drawn uncoupled{.with_all = {1330, 670, 0}, .with_fewer = {1000, 0, 0}};
constexpr Drawn alone{.with_all = {2000, 20, 1}, .with_fewer = {1000, 0, 0}};

TEST(Trial, NobodyTakesAProcessor) {
  Drawn process = alone;
  EXPECT_EQ(process.fewer_of(5000), 0);
}

TEST(Trial, MembersThatWaitForEachOtherHaveFewerWorkers) {
  Drawn process = coupled;
  process.fewer_of(100);
  EXPECT_EQ(process.most(), 1);
  EXPECT_GT(process.fewer_of(10'000), 9'600);  // but for a moment in a second
}

TEST(Trial, MembersThatDoNotWaitKeepAllWorkers) {
  Drawn process = uncoupled;
  const int fewer = process.fewer_of(10'000);
  EXPECT_GT(fewer, 0);  // it was tried
  EXPECT_LT(fewer, 150);
}

TEST(Trial, AllWorkersComeBackWhenTheOthersEnd) {
  Drawn process = coupled;
  process.fewer_of(3000);
  process.with_all = alone.with_all;
  process.fewer_of(1100);
  EXPECT_EQ(process.most(), 2);
  EXPECT_EQ(process.fewer_of(1000), 0);
}

TEST(Trial, WhatChangesIsSeen) {
  Drawn process = coupled;
  process.fewer_of(3000);
  process.with_all = uncoupled.with_all;
  process.fewer_of(1100);
  EXPECT_LT(process.fewer_of(5000), 300);
}

TEST(Trial, FewerByAsManyAsWaited) {
  Drawn process = coupled;
  process.workers = 64;
  process.with_all = {.ran_us = 30'000, .delayed_us = 3'100, .arrivals = 500};
  process.with_fewer = {.ran_us = 61'000, .delayed_us = 0, .arrivals = 0};
  process.fewer_of(100);
  EXPECT_EQ(process.most(), 61);
}

TEST(Trial, OneIsLeft) {
  Drawn process = coupled;
  process.with_all.delayed_us = 2'600;
  process.fewer_of(100);
  EXPECT_EQ(process.most(), 1);
}

TEST(Trial, OneWorkerIsNotTried) {
  Drawn process = coupled;
  process.workers = 1;
  process.fewer_of(1000);
  EXPECT_FALSE(process.trial.is_tried());
  EXPECT_EQ(process.most(), 1);
}

TEST(Trial, WhoTakesItsCountsAlongVoidsAPhase) {
  Drawn process = coupled;
  process.fewer_of(20);
  ASSERT_TRUE(process.trial.is_tried());
  process.use = {};
  process.fewer_of(20);
  EXPECT_FALSE(process.trial.is_tried());
}

TEST(Trial, EachWatchIsARoundOfItsOwn) {
  Drawn process = alone;
  process.fewer_of(100);
  EXPECT_GE(process.rounds, 5);
}

TEST(Trial, StoppedItBeginsAnew) {
  Drawn process = coupled;
  process.fewer_of(1000);
  process.trial.stop();
  EXPECT_EQ(process.most(), 2);
  process.fewer_of(100);
  EXPECT_EQ(process.most(), 1);
}

}  // namespace
}  // namespace xylem::sched
