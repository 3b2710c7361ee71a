// What the kernel says of memory nodes.
#include "os/numa.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "os/memory.hpp"

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

// Kilobytes that the process has in transparent huge pages; -1: not known.
long in_huge_pages() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;)
    if (long kilobytes = 0; word == "AnonHugePages:" && file >> kilobytes) return kilobytes;
  return -1;
}

TEST(Numa, AHugePageOfWhichAPartIsNamedIsSplit) {
  constexpr std::size_t huge = transparent_huge_page;
  char* all = map_memory(4 * huge);
  ASSERT_NE(all, nullptr);
  char* start = all + (huge - reinterpret_cast<uintptr_t>(all) % huge) % huge;
  advise_huge_pages(start, 2 * huge, true);
  const long before = in_huge_pages();
  std::memset(start, 7, 2 * huge);
  if (before < 0 || in_huge_pages() != before + 4096) GTEST_SKIP() << "no huge pages here";
  EXPECT_EQ(split_huge_pages(start, huge), 0);
  EXPECT_EQ(in_huge_pages(), before + 4096);  // it is named whole
  EXPECT_EQ(split_huge_pages(start + 5 * page_size(), page_size()), 0);
  EXPECT_EQ(in_huge_pages(), before + 2048);
  EXPECT_EQ(std::count(start, start + 2 * huge, 7), static_cast<long>(2 * huge));
  unmap_pages(all, 4 * huge);
}

}  // namespace
}  // namespace xylem::os
