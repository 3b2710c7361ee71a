// The cache of blocks: sizes, alignment, and that what was put is taken again.
#include "sched/context/block_cache.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

namespace xylem::sched {
namespace {

TEST(BlockCache, BlocksAreLittleLargerThanWhatIsAskedFor) {
  for (size_t bytes = 1; bytes <= 70000; ++bytes) {
    const size_t room = BlockCache::room_for(bytes);
    ASSERT_GE(room, bytes);
    ASSERT_LT(room, bytes <= 2048 ? bytes + 64 : 2 * bytes);
    ASSERT_EQ((bytes <= 2048 - 8 ? room + 8 : room) % 64, 0u);  // with malloc's word
  }
}

// Blocks are told apart by their class alone: whatever is taken must have room for what is asked,
// whoever put it.
TEST(BlockCache, ATakenBlockHasRoom) {
  BlockCache cache;
  std::vector<size_t> sizes;
  for (size_t bytes = 1; bytes <= 200000; bytes += bytes < 4096 ? 61 : 4099) sizes.push_back(bytes);
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> blocks;
    std::set<void*> distinct;
    for (size_t bytes : sizes) {
      blocks.push_back(cache.take(bytes));
      distinct.insert(blocks.back());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks.back()) % 64, 0u);
      std::memset(blocks.back(), round, bytes);  // a sanitizer sees one that is too small
    }
    EXPECT_EQ(distinct.size(), sizes.size());
    // In the other direction, as what a class holds is taken for any size of it.
    for (size_t i = sizes.size(); i-- > 0;) cache.put(blocks[i], BlockCache::room_for(sizes[i]));
  }
  for (size_t bytes : sizes) std::free(cache.take(bytes));
}

TEST(BlockCache, WhatWasPutIsTakenAgain) {
  BlockCache cache;
  for (size_t bytes : {1u, 56u, 57u, 896u, 2040u, 2041u, 2048u, 2049u, 4096u, 65536u}) {
    void* block = cache.take(bytes);
    cache.put(block, bytes);
    EXPECT_EQ(cache.take(BlockCache::room_for(bytes)), block) << bytes;
    std::free(block);
  }
}

TEST(BlockCache, ItKeepsNoMoreThanAFewOfASize) {
  BlockCache cache;
  std::set<void*> put;
  for (int i = 0; i < 1000; ++i) put.insert(cache.take(300));
  for (void* block : put) cache.put(block, 300);
  // Those beyond the limit went back to malloc; the rest come out again, each once.
  std::set<void*> taken;
  for (int i = 0; i < 64; ++i) taken.insert(cache.take(300));
  EXPECT_EQ(taken.size(), 64u);
  for (void* block : taken) {
    EXPECT_TRUE(put.contains(block));
    std::free(block);
  }
}

}  // namespace
}  // namespace xylem::sched
