// Tests base::fatal and base::warn_once: their words, and that a warning comes once.
#include "base/report.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace xylem::base {
namespace {

TEST(Report, WarnsOncePerFormat) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) warn_once("the node %d is full", i);
  warn_once("another warning");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "xylem: warning: the node 0 is full\nxylem: warning: another warning\n");
}

TEST(Report, KeepsErrno) {
  testing::internal::CaptureStderr();
  errno = 7;
  warn_once("this keeps errno");
  EXPECT_EQ(errno, 7);
  testing::internal::GetCapturedStderr();
}

TEST(Report, CutsALongLine) {
  const std::string lengthy(5000, 'x');
  testing::internal::CaptureStderr();
  warn_once("%s", lengthy.c_str());
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_LT(line.size(), 600u);
  EXPECT_EQ(line.back(), '\n');
}

TEST(ReportDeathTest, FatalAborts) {
  EXPECT_DEATH(fatal("no way %s", "on"), "^xylem: fatal: no way on\n$");
}

}  // namespace
}  // namespace xylem::base
