// What the kernel says of memory nodes.
#include "os/numa.hpp"

#include <gtest/gtest.h>

namespace xylem::os {
namespace {

TEST(Numa, TheKernelAndProcTellTheSameAllowedNodes) {
  NodeSet told, read;
  ASSERT_EQ(nodes_allowed(told), 0);
  const int error = nodes_allowed(read, "/");  // a root: from the file
  if (error != 0) GTEST_SKIP() << "no /proc here";
  EXPECT_EQ(told.words, read.words);
  EXPECT_NE(told.words, NodeSet{}.words);
}

}  // namespace
}  // namespace xylem::os
