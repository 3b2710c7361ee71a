// The trial of threads that were moved: the shortest of two iterations before against the shortest
// of two after; the first after the move has the move in it.
#include <gtest/gtest.h>

#include "count/live/engines.hpp"

namespace xylem::count {
namespace {

// The trial begun after two iterations, of which the shorter took 100.
Trial begun() {
  Trial trial;
  EXPECT_FALSE(trial.may_begin());
  EXPECT_FALSE(trial.ended_iteration(0));  // nobody knows how long
  EXPECT_FALSE(trial.ended_iteration(130));
  EXPECT_FALSE(trial.may_begin());
  EXPECT_FALSE(trial.ended_iteration(100));
  EXPECT_TRUE(trial.may_begin());
  trial.begin();
  EXPECT_FALSE(trial.may_begin());
  return trial;
}

TEST(Trial, SendsThreadsBackThatAreSlower) {
  Trial trial = begun();
  EXPECT_FALSE(trial.ended_iteration(1000));
  EXPECT_FALSE(trial.ended_iteration(120));
  EXPECT_TRUE(trial.ended_iteration(110));
  EXPECT_EQ(trial.before_ns(), 100);
  EXPECT_EQ(trial.after_ns(), 110);
  // Once.
  EXPECT_FALSE(trial.ended_iteration(500));
  EXPECT_FALSE(trial.ended_iteration(500));
  EXPECT_FALSE(trial.may_begin());
}

TEST(Trial, KeepsThreadsThatAreNotSlower) {
  for (const int64_t after : {50, 100, 105}) {
    Trial trial = begun();
    EXPECT_FALSE(trial.ended_iteration(1000));
    EXPECT_FALSE(trial.ended_iteration(300));
    EXPECT_FALSE(trial.ended_iteration(after)) << after;
    EXPECT_FALSE(trial.may_begin());
  }
}

TEST(Trial, ComparesNothingAcrossPhases) {
  Trial trial = begun();
  trial.forget_times();
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(trial.ended_iteration(1000));
  Trial fresh;
  fresh.ended_iteration(100);
  fresh.forget_times();
  fresh.ended_iteration(300);
  EXPECT_FALSE(fresh.may_begin());
  fresh.ended_iteration(300);
  EXPECT_TRUE(fresh.may_begin());
  EXPECT_EQ(fresh.before_ns(), 300);
}

}  // namespace
}  // namespace xylem::count
