// Tests how long idle workers spin: which setting counts, and its limits.
#include "omp/team/spin_time.hpp"

#include <gtest/gtest.h>

namespace xylem::omp {
namespace {

constexpr int64_t not_given = -1;

GlobalIcvs waiting(WaitPolicy policy) {
  GlobalIcvs global;
  global.wait_policy = policy;
  return global;
}

GlobalIcvs counting(uint64_t turns, uint64_t throttled) {
  GlobalIcvs global = waiting(WaitPolicy::passive);
  global.spin_count_given = true;
  global.spin_count = turns;
  global.throttled_spin_count = throttled;
  return global;
}

TEST(SpinTime, FollowsTheWaitPolicy) {
  EXPECT_EQ(spin_time_ns(waiting(WaitPolicy::active), not_given, false), 2'000'000);
  EXPECT_EQ(spin_time_ns(waiting(WaitPolicy::unset), not_given, false), 200'000);
  EXPECT_EQ(spin_time_ns(waiting(WaitPolicy::passive), not_given, false), 0);
  EXPECT_EQ(spin_time_ns(waiting(WaitPolicy::active), not_given, true), 0);
}

TEST(SpinTime, FollowsGompSpincountBeforeThePolicy) {
  EXPECT_EQ(spin_time_ns(counting(5'000, 0), not_given, false), 50'000);
  EXPECT_EQ(spin_time_ns(counting(0, 0), not_given, false), 0);
  EXPECT_EQ(spin_time_ns(counting(UINT64_MAX, 0), not_given, false), 10'000'000);
}

TEST(SpinTime, IsThrottledWhereProcessorsAreShared) {
  EXPECT_EQ(spin_time_ns(counting(5'000, 100), not_given, true), 1'000);
}

TEST(SpinTime, FollowsXylemSpinBeforeAll) {
  EXPECT_EQ(spin_time_ns(counting(5'000, 100), 7, true), 70);
  EXPECT_EQ(spin_time_ns(counting(5'000, 100), 0, false), 0);
  EXPECT_EQ(spin_time_ns(waiting(WaitPolicy::active), INT64_MAX, false), 10'000'000);
}

}  // namespace
}  // namespace xylem::omp
