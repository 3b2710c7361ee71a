// What the kernel keeps back of free memory, as /proc/zoneinfo has it.
#include "os/zones.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "fake_root.hpp"
#include "os/memory.hpp"

namespace xylem::os {
namespace {

std::string zone(int node, const std::string& name, int free, int high, const std::string& kept) {
  return "Node " + std::to_string(node) + ", zone " + name + "\n  pages free     " +
         std::to_string(free) +
         "\n        boost    0\n        min      2478\n        low      3097\n" +
         "        high     " + std::to_string(high) +
         "\n        spanned  65536\n        managed  52022\n        protection: " + kept +
         "\n      nr_free_pages 7\n  pagesets\n    cpu: 0\n              count: 80\n" +
         "              high:  378\n              batch: 63\n";
}

std::vector<int64_t> pages_kept(const std::string& text) {
  std::vector<int64_t> kept = free_bytes_kept_in(text);
  for (int64_t& of_node : kept) of_node /= static_cast<int64_t>(page_size());
  return kept;
}

TEST(Zones, WhatIsBelowTheMarkOrForOthersIsKept) {
  // The first zone is for devices that address little: 284 + 194 of it are kept from all others.
  const std::string text = zone(0, "     DMA", 3808, 284, "(0, 194, 194, 100)") +
                           zone(0, "   DMA32", 45616, 3716, "(0, 0, 0, 0)") +
                           zone(2, "   DMA32", 62482, 4785, "(0, 0, 0, 0)");
  EXPECT_EQ(pages_kept(text), (std::vector<int64_t>{284 + 194 + 3716, 0, 4785}));
}

TEST(Zones, NoMoreIsKeptThanIsFree) {
  const std::string text = zone(0, "  Normal", 4000, 4785, "(0, 0)") +
                           zone(1, "  Normal", 0, 0, "(0, 0)") +
                           zone(1, " Movable", 5, 9, "(0, 9223372036854775807)");
  EXPECT_EQ(pages_kept(text), (std::vector<int64_t>{4000, 5}));
}

TEST(Zones, WhatIsNotUnderstoodKeepsNothing) {
  EXPECT_EQ(pages_kept(""), std::vector<int64_t>{});
  EXPECT_EQ(pages_kept("Node x, zone X\npages free 9\nhigh 9\nprotection: (1)"),
            std::vector<int64_t>{});
  EXPECT_EQ(pages_kept("protection: (1)\nNode 5000, zone X\npages free 9\nhigh 9\nprotection: (1)"),
            std::vector<int64_t>{});
  EXPECT_EQ(
      pages_kept("Node 0, zone X\n pages free -3\n high 99999999999999999999\n protection: ("),
      std::vector<int64_t>{0});
}

TEST(Zones, TheFileIsReadBelowTheRoot) {
  FakeRoot root;
  std::vector<int64_t> kept{1, 2, 3};
  EXPECT_EQ(free_bytes_kept(kept, root.path().c_str()), -ENOENT);
  root.write("/proc/zoneinfo", zone(0, "Normal", 5, 3, "(0)"));
  EXPECT_EQ(free_bytes_kept(kept, root.path().c_str()), 0);
  EXPECT_EQ(kept, std::vector<int64_t>{3 * static_cast<int64_t>(page_size())});
}

}  // namespace
}  // namespace xylem::os
