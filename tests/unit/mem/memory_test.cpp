// Placing, moving and finding pages on a synthetic machine of four nodes, by the records of
// synthetic machines, and on this one as it is.
#include "mem/map/memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <numeric>

#include "mem/map/ranges.hpp"
#include "mem/map/regions.hpp"
#include "mem/move/range_moves.hpp"
#include "os/failures.hpp"
#include "os/memory.hpp"

namespace xylem::mem {
namespace {

constexpr int none = -ENOENT;

class OnMachine : public testing::Test {
 protected:
  void begin(const char* description) {
    auto made = topo::load_machine(description, true);
    ASSERT_TRUE(made.ok()) << made.error().message;
    made_.reset(made.value());
    start(*made_);
  }
  static std::vector<int> nodes_of(const void* start, size_t pages) {
    std::vector<int> nodes(pages, -1);
    EXPECT_EQ(locate(start, pages * os::page_size(), nodes), 0);
    return nodes;
  }
  static void* map(size_t pages, Placement placement, int node = -1) {
    How how;
    how.placement = placement;
    how.node = node;
    return map_placed(pages * os::page_size(), how);
  }
  static void touch(void* start, size_t pages) { std::memset(start, 1, pages * os::page_size()); }

 private:
  std::unique_ptr<topo::Machine> made_;
};

class OnFourNodes : public OnMachine {
 protected:
  void SetUp() override { begin("node:4(memory=64MB) core:2 pu:1"); }
};

class Here : public OnMachine {
 protected:
  void SetUp() override { begin(""); }
};

using Nodes = std::vector<int>;

// Heaps of other tests keep pages: what counts is what is added.
int64_t bytes_of_pages(size_t pages) { return static_cast<int64_t>(pages * os::page_size()); }

TEST_F(OnFourNodes, PagesComeWhereTheyWereAskedForWhenTheyAreTouched) {
  const int64_t before = placed_bytes(2);
  void* block = map(3, Placement::node, 2);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(nodes_of(block, 3), (Nodes{none, none, none}));
  touch(block, 2);
  EXPECT_EQ(nodes_of(block, 3), (Nodes{2, 2, none}));
  EXPECT_EQ(placed_bytes(2) - before, bytes_of_pages(3));
  EXPECT_EQ(mapped_bytes(block), 3 * os::page_size());
  release_pages(block);
  EXPECT_EQ(placed_bytes(2), before);
  EXPECT_EQ(mapped_bytes(block), 0u);
}

TEST_F(OnFourNodes, InterleavedPagesTakeTurns) {
  void* block = map(8, Placement::interleaved);
  touch(block, 8);
  const Nodes nodes = nodes_of(block, 8);
  for (size_t i = 1; i < 8; ++i) EXPECT_EQ(nodes[i], (nodes[i - 1] + 1) % 4);
  release_pages(block);
}

TEST_F(OnFourNodes, SpreadIsByBlocks) {
  const int part_nodes[] = {3, 0, 1};
  How how;
  how.placement = Placement::spread;
  how.part_nodes = part_nodes;
  const int64_t before = placed_bytes(3);
  void* block = map_placed(6 * os::page_size(), how);
  touch(block, 6);
  EXPECT_EQ(nodes_of(block, 6), (Nodes{3, 3, 0, 0, 1, 1}));
  EXPECT_EQ(placed_bytes(3) - before, bytes_of_pages(2));
  release_pages(block);
  EXPECT_EQ(placed_bytes(3), before);
}

TEST_F(OnFourNodes, TheLeastLoadedNodeIsTheOneWithMostFree) {
  const int before = least_loaded_node();
  const int64_t free_before = free_bytes(before);
  const size_t pages = 16 << 20 >> 12;  // more than the heaps of other tests differ by
  void* first = map(pages, Placement::node, before);
  EXPECT_EQ(free_bytes(before), free_before - bytes_of_pages(pages));
  int emptiest = 0;
  for (int node = 1; node < 4; ++node)
    if (free_bytes(node) > free_bytes(emptiest)) emptiest = node;
  EXPECT_NE(emptiest, before);
  void* second = map(50, Placement::least_loaded);
  touch(second, 50);
  EXPECT_EQ(nodes_of(second, 1)[0], emptiest);
  release_pages(first);
  release_pages(second);
  EXPECT_EQ(free_bytes(before), free_before);
}

TEST_F(OnFourNodes, MovesAndCountsWhatChangedItsNode) {
  void* block = map(6, Placement::node, 1);
  touch(block, 4);
  size_t moved = 99;
  const int64_t before = statistics().moved_pages;
  EXPECT_EQ(move_range(block, 1, 3, &moved), 0);
  EXPECT_EQ(moved, 1u);
  EXPECT_EQ(move_range(static_cast<char*>(block) + 3 * os::page_size(), 1, 2, &moved), 0);
  EXPECT_EQ(moved, 1u);
  EXPECT_EQ(nodes_of(block, 6), (Nodes{3, 1, 1, 2, none, none}));
  EXPECT_EQ(move_range(block, 6 * os::page_size(), 3, &moved), 0);
  EXPECT_EQ(moved, 3u);
  touch(block, 6);
  EXPECT_EQ(nodes_of(block, 6), (Nodes{3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(statistics().moved_pages, before + 5);
  EXPECT_EQ(move_range(block, 1, 4, &moved), -EINVAL);
  release_pages(block);
}

TEST_F(OnFourNodes, ARangeInsideAPageIsThatPage) {
  auto* block = static_cast<char*>(map(3, Placement::node, 1));
  touch(block, 3);
  const size_t page = os::page_size();
  EXPECT_EQ(pages_in(block + page - 1, 2), 2u);
  EXPECT_EQ(pages_in(block, 0), 0u);
  size_t moved = 0;
  EXPECT_EQ(move_range(block + page + 5, 1, 0, &moved), 0);
  EXPECT_EQ(moved, 1u);
  EXPECT_EQ(nodes_of(block, 3), (Nodes{1, 0, 1}));
  int64_t bytes[4] = {};
  EXPECT_EQ(add_bytes_by_node(block + page - 10, page + 20, bytes), 0u);
  EXPECT_EQ(bytes[0], static_cast<int64_t>(page));
  EXPECT_EQ(bytes[1], 20);
  release_pages(block);
}

TEST_F(OnFourNodes, BindsPagesThatAreNotThereAndMovesThemIfAsked) {
  void* block = map(4, Placement::node, 0);
  touch(block, 2);
  How how;
  how.placement = Placement::node;
  how.node = 3;
  EXPECT_EQ(place_range(block, 4 * os::page_size(), how, false), 0);
  touch(block, 4);
  EXPECT_EQ(nodes_of(block, 4), (Nodes{0, 0, 3, 3}));
  how.node = 2;
  EXPECT_EQ(place_range(block, 4 * os::page_size(), how, true), 0);
  EXPECT_EQ(nodes_of(block, 4), (Nodes{2, 2, 2, 2}));
  release_pages(block);
}

TEST_F(OnFourNodes, SamplesOfALargeRangeAddUpToItsBytes) {
  constexpr size_t pages = 1000;
  How how;
  how.placement = Placement::spread;
  const int part_nodes[] = {0, 1};
  how.part_nodes = part_nodes;
  void* block = map_placed(pages * os::page_size(), how);
  touch(block, pages);
  int64_t bytes[4] = {};
  EXPECT_EQ(add_bytes_by_node(block, pages * os::page_size(), bytes, 10), 0u);
  EXPECT_EQ(bytes[0], static_cast<int64_t>(pages / 2 * os::page_size()));
  EXPECT_EQ(bytes[0] + bytes[1], static_cast<int64_t>(pages * os::page_size()));
  release_pages(block);
}

TEST_F(OnFourNodes, StrictGivesNoMemoryThatANodeDoesNotHave) {
  How how;
  how.placement = Placement::node;
  how.node = 1;
  how.strict = true;
  const auto all = static_cast<size_t>(free_bytes(1));
  EXPECT_EQ(map_placed(all + os::page_size(), how), nullptr);
  EXPECT_EQ(free_bytes(1), static_cast<int64_t>(all));
  void* fits = map_placed(os::page_size(), how);
  EXPECT_NE(fits, nullptr);
  release_pages(fits);
}

TEST_F(OnFourNodes, SplitPartsMoveAloneAndGoWithTheBlock) {
  void* block = map(5, Placement::node, 0);
  touch(block, 5);
  void* starts[2];
  const int64_t known = regions().count();
  EXPECT_EQ(split_range(block, 6, nullptr), -EINVAL);
  EXPECT_EQ(split_range(static_cast<char*>(block) + 8, 2, starts), -ENOENT);
  ASSERT_EQ(split_range(block, 2, starts), 0);
  EXPECT_EQ(regions().count(), known + 1);
  EXPECT_EQ(starts[0], block);
  Region part;
  ASSERT_TRUE(regions().find(reinterpret_cast<uintptr_t>(starts[1]), part));
  EXPECT_EQ(move_range(starts[1], part.bytes, 3, nullptr), 0);
  EXPECT_EQ(nodes_of(block, 5), (Nodes{0, 0, 3, 3, 3}));
  EXPECT_EQ(mapped_bytes(block), 5 * os::page_size());
  EXPECT_EQ(forget_range(block), -EINVAL);
  release_pages(block);
  EXPECT_EQ(regions().count(), known - 1);
}

TEST_F(OnFourNodes, RegisteredRangesAreSplitOnPageBoundaries) {
  const size_t page = os::page_size();
  std::vector<char> memory(8 * page);
  char* start = memory.data() + 100;
  ASSERT_EQ(register_range(start, 4 * page), 0);
  EXPECT_EQ(register_range(start + page, 1), -EEXIST);
  void* starts[3];
  ASSERT_EQ(split_range(start, 3, starts), 0);
  EXPECT_EQ(starts[0], start);
  for (int i = 1; i < 3; ++i) EXPECT_EQ(reinterpret_cast<uintptr_t>(starts[i]) % page, 0u);
  EXPECT_EQ(forget_range(starts[1]), -ENOENT);
  EXPECT_EQ(forget_range(start), 0);
  EXPECT_EQ(forget_range(start), -ENOENT);
  EXPECT_EQ(register_range(nullptr, 1), -EINVAL);
  EXPECT_EQ(register_range(start, 0), -EINVAL);
  EXPECT_EQ(register_range(start, SIZE_MAX), -EINVAL);
}

TEST_F(OnFourNodes, AlignmentHolds) {
  How how;
  how.alignment = 1 << 22;
  void* block = map_placed(5000, how);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % how.alignment, 0u);
  EXPECT_EQ(mapped_bytes(block), 2 * os::page_size());
  touch(block, 2);
  release_pages(block);
  how.huge = true;
  block = map_placed(5000, how);
  ASSERT_NE(block, nullptr);
  EXPECT_GE(mapped_bytes(block), 5000u);
  touch(block, 2);
  release_pages(block);
  EXPECT_EQ(map_placed(SIZE_MAX - 5, {}), nullptr);
}

TEST_F(OnFourNodes, AMappingThatFailsLeavesNothingBehind) {
  const int64_t known = regions().count();
  const int64_t placed = placed_bytes(1);
  for (int nth = 1; nth <= 2; ++nth) {
    os::inject_failure(nth, true);
    void* block = map(2, Placement::node, 1);
    os::inject_failure(0, false);
    if (nth == 1) {
      EXPECT_EQ(block, nullptr);
    }
    release_pages(block);
  }
  EXPECT_EQ(regions().count(), known);
  EXPECT_EQ(placed_bytes(1), placed);
}

TEST_F(Here, PagesAreWhereTheyWereTouched) {
  void* block = map(4, Placement::first_touch);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(nodes_of(block, 4), (Nodes{none, none, none, none}));
  touch(block, 3);
  const Nodes nodes = nodes_of(block, 4);
  for (size_t i = 0; i < 3; ++i) EXPECT_GE(nodes[i], 0);
  EXPECT_EQ(nodes[3], none);
  int64_t total = 0;
  std::vector<int64_t> bytes(static_cast<size_t>(node_count()));
  EXPECT_EQ(add_bytes_by_node(block, 4 * os::page_size(), bytes), os::page_size());
  total = std::accumulate(bytes.begin(), bytes.end(), total);
  EXPECT_EQ(total, static_cast<int64_t>(3 * os::page_size()));
  const int home = nodes[0];
  size_t moved = 5;
  EXPECT_EQ(move_range(block, 4 * os::page_size(), home, &moved), 0);
  EXPECT_EQ(moved, 0u);
  release_pages(block);
}

TEST_F(Here, ThisThreadIsOnANodeWithMemory) {
  EXPECT_GE(current_node(), 0);
  EXPECT_LT(current_node(), node_count());
  EXPECT_TRUE(has_memory(least_loaded_node()));
  EXPECT_GT(total_bytes(least_loaded_node()), 0);
  EXPECT_LE(free_bytes(least_loaded_node()), total_bytes(least_loaded_node()));
  EXPECT_EQ(total_bytes(-1), -1);
  EXPECT_FALSE(has_memory(node_count()));
}

TEST_F(Here, WhereTheKernelDoesNotTellOnOneNodePagesAreFoundAllTheSame) {
  if (node_count() != 1 || !base::kChecked) GTEST_SKIP();
  void* block = map(3, Placement::process);
  touch(block, 1);
  os::inject_failure(1, true);
  const Nodes nodes = nodes_of(block, 3);
  os::inject_failure(0, false);
  EXPECT_EQ(nodes, (Nodes{0, none, none}));
  EXPECT_EQ(refusals(), 0);
  release_pages(block);
}

}  // namespace
}  // namespace xylem::mem
