// From which size on copies past the caches are sooner.
#include "tool/topo/copy_times.hpp"

#include <gtest/gtest.h>

namespace xylem::tool {
namespace {

std::uint64_t threshold(std::vector<CopyTimes> times) { return measured_threshold(times); }

TEST(MeasuredThreshold, IsTheLeastFromWhichOnAllAreSooner) {
  EXPECT_EQ(threshold({{10, 1, 2}, {20, 2, 2}, {30, 4, 3}, {40, 8, 4}}), 30u);
  EXPECT_EQ(threshold({{10, 2, 1}, {20, 2, 3}, {30, 4, 3}}), 30u);
  EXPECT_EQ(threshold({{10, 2, 1}, {20, 3, 2}}), 10u);
}

TEST(MeasuredThreshold, IsNoneWhereTheLargestIsNotSooner) {
  EXPECT_EQ(threshold({}), 0u);
  EXPECT_EQ(threshold({{10, 2, 1}, {20, 3, 3}}), 0u);
}

TEST(CopyTimes, NothingIsMeasuredWithoutSizes) { EXPECT_TRUE(time_copies(0, 0, {}).empty()); }

}  // namespace
}  // namespace xylem::tool
