// For how long a device has had a kernel under way.
#include "hetero/run/device_load.hpp"

#include <gtest/gtest.h>

namespace xylem::hetero {
namespace {

TEST(DeviceLoad, OverlappingKernelsCountOnce) {
  DeviceLoad load;
  EXPECT_EQ(load.busy_ns(1000), 0);
  load.begin_kernel(1000);
  EXPECT_EQ(load.busy_ns(1200), 200);
  load.begin_kernel(1300);
  load.end_kernel(1500);
  EXPECT_EQ(load.busy_ns(1600), 600);  // the second one goes on
  load.end_kernel(1700);
  EXPECT_EQ(load.busy_ns(9000), 700);
  EXPECT_EQ(load.kernels(), 2u);
}

TEST(DeviceLoad, PausesDoNotCount) {
  DeviceLoad load;
  for (int64_t at = 5000; at < 10'000; at += 1000) {
    load.begin_kernel(at);
    load.end_kernel(at + 10);
    EXPECT_EQ(load.busy_ns(at + 500), (at - 4000) / 100);
  }
  load.begin_kernel(20'000);
  EXPECT_EQ(load.busy_ns(20'025), 75);
  EXPECT_EQ(load.kernels(), 5u);
}

}  // namespace
}  // namespace xylem::hetero
