// Blocks as programs ask for them: contents, sizes, that they stay where they were placed when they
// are resized, and what is counted.
#include "mem/heap/blocks.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "mem/heap/heap.hpp"
#include "mem/map/nodes.hpp"
#include "topo/machine.hpp"

namespace xylem::mem {
namespace {

class Blocks : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const topo::Machine* drawn =
        topo::load_machine("node:4 core:2 pu:1", true).value();  // lives as long as the layer
    start(*drawn);
  }
};

How on_node(int node, std::size_t alignment = 0) {
  How how;
  how.placement = Placement::node;
  how.node = node;
  how.alignment = alignment;
  return how;
}

How placed(Placement placement, std::span<const int> parts = {}) {
  How how;
  how.placement = placement;
  how.part_nodes = parts;
  return how;
}

// Of pages that were all touched.
std::vector<int> homes(void* block, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 4096) {
    volatile char& byte = static_cast<char*>(block)[i];
    byte = byte;
  }
  std::vector<int> nodes(pages_in(block, bytes));
  EXPECT_EQ(locate(block, bytes, nodes), 0);
  return nodes;
}

void fill(void* block, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    static_cast<unsigned char*>(block)[i] = static_cast<unsigned char>(i * 7);
}
bool is_filled(const void* block, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (static_cast<const unsigned char*>(block)[i] != static_cast<unsigned char>(i * 7))
      return false;
  return true;
}

TEST_F(Blocks, OfZeros) {
  for (int round = 0; round < 20; ++round) {
    for (const std::size_t bytes : {1u, 100u, 5000u, 300000u}) {
      auto* block = static_cast<unsigned char*>(allocate_block(bytes, on_node(1), Contents::zeros));
      ASSERT_NE(block, nullptr);
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], 0) << i;
      std::memset(block, 0xff, bytes);
      EXPECT_TRUE(free_block(block));
    }
  }
}

TEST_F(Blocks, StayOnTheirNodeWhateverTheirSize) {
  int error = 0;
  std::size_t filled = 10;
  void* block = allocate_block(filled, on_node(2, 256), Contents::any);
  fill(block, filled);
  for (const std::size_t bytes : {1000u, 400000u, 3000000u, 2000000u, 300000u, 200u, 50000u}) {
    block = resize_block(block, bytes, error);
    ASSERT_NE(block, nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 256, 0u);
    EXPECT_TRUE(is_filled(block, std::min(filled, bytes))) << bytes;
    fill(block, filled = bytes);
    for (const int node : homes(block, bytes)) EXPECT_EQ(node, 2) << bytes;
  }
  EXPECT_TRUE(free_block(block));
}

TEST_F(Blocks, KeepTheirPlacement) {
  int error = 0;
  const int parts[] = {3, 1};
  void* spread = allocate_block(64 * 4096, placed(Placement::spread, parts), Contents::any);
  void* turns = allocate_block(8 * 4096, placed(Placement::interleaved), Contents::any);
  spread = resize_block(spread, 128 * 4096, error);
  turns = resize_block(turns, 16 * 4096, error);
  const std::vector<int> of_spread = homes(spread, 128 * 4096), of_turns = homes(turns, 16 * 4096);
  for (std::size_t i = 0; i < of_spread.size(); ++i) EXPECT_EQ(of_spread[i], i < 64 ? 3 : 1) << i;
  for (std::size_t i = 1; i < of_turns.size(); ++i)
    EXPECT_EQ(of_turns[i], (of_turns[i - 1] + 1) % 4) << i;
  EXPECT_TRUE(free_block(spread));
  EXPECT_TRUE(free_block(turns));
}

TEST_F(Blocks, OfDefaultPlacementFollowTheSetting) {
  set_default_placement(Placement::node, 3);
  void* small = allocate_block(100, {}, Contents::any);
  void* large = allocate_block(300000, {}, Contents::any);
  set_default_placement(Placement::process, -1);
  for (const int node : homes(large, 300000)) EXPECT_EQ(node, 3);
  for (const int node : homes(small, 100)) EXPECT_EQ(node, 3);
  EXPECT_TRUE(free_block(small));
  EXPECT_TRUE(free_block(large));
}

TEST_F(Blocks, WhatIsNoneIsToldApart) {
  int error = 0, on_stack = 0;
  EXPECT_EQ(resize_block(&on_stack, 10, error), nullptr);
  EXPECT_EQ(error, -EINVAL);
  EXPECT_FALSE(free_block(&on_stack));
  auto* pages = static_cast<char*>(allocate_block(300000, on_node(0), Contents::any));
  EXPECT_FALSE(free_block(pages + 4096)) << "an address inside";
  EXPECT_TRUE(free_block(pages));
  EXPECT_FALSE(free_block(pages)) << "freed twice";
}

TEST_F(Blocks, AreCounted) {
  const int64_t before = block_bytes(), before_1 = block_bytes(1);
  void* small = allocate_block(100, on_node(1), Contents::any);
  void* large = allocate_block(std::size_t{1} << 20, on_node(1), Contents::any);
  const int64_t alone = heap_block_bytes(small) == 100 ? 100 : 4096;  // without heaps a page
  EXPECT_EQ(block_bytes(1) - before_1, alone + (1 << 20));
  EXPECT_EQ(block_bytes() - before, alone + (1 << 20));
  EXPECT_TRUE(free_block(small));
  EXPECT_TRUE(free_block(large));
  EXPECT_EQ(block_bytes(1), before_1);
  EXPECT_EQ(block_bytes(), before);
}

}  // namespace
}  // namespace xylem::mem
