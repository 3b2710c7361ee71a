// How soon after a stolen task the next one is stolen.
#include "omp/tasks/steal_pace.hpp"

#include <gtest/gtest.h>

namespace xylem::omp {
namespace {

constexpr uint64_t taking = 100, longest = 4000;

// How long the rest is after a task that ran for so long.
uint64_t rest_after(StealPace& pace, uint64_t running) {
  constexpr uint64_t now = 1'000'000;
  pace.ended(now, taking, running, longest);
  uint64_t rest = 0;
  while (pace.rests(now + rest)) ++rest;
  return rest;
}

TEST(StealPace, NobodyRestsAtFirst) {
  const StealPace pace;
  EXPECT_FALSE(pace.has_rest());
  EXPECT_FALSE(pace.rests(0));
}

TEST(StealPace, ATaskThatRunsForTwiceItsTakingIsWorthIt) {
  StealPace pace;
  EXPECT_EQ(rest_after(pace, 2 * taking), 0u);
  EXPECT_FALSE(pace.has_rest());
  EXPECT_GT(rest_after(pace, 2 * taking - 1), 0u);
  EXPECT_TRUE(pace.has_rest());
}

TEST(StealPace, RestsBecomeLongerUpToTheLongest) {
  StealPace pace;
  for (const uint64_t rest : {400u, 800u, 1600u, 3200u, 4000u, 4000u})
    EXPECT_EQ(rest_after(pace, 0), rest);
}

TEST(StealPace, OneTaskThatWasWorthItEndsThem) {
  StealPace pace;
  for (int i = 0; i < 4; ++i) rest_after(pace, 0);
  EXPECT_EQ(rest_after(pace, 1000), 0u);
  EXPECT_FALSE(pace.has_rest());
  EXPECT_EQ(rest_after(pace, 0), 400u) << "they begin anew";
}

TEST(StealPace, WhereTicksAreNotKnownNobodyRests) {
  StealPace pace;
  pace.ended(1000, taking, 0, 0);
  EXPECT_FALSE(pace.rests(1000));
}

}  // namespace
}  // namespace xylem::omp
