// The cache of blocks: sizes, alignment, and that what was put is taken again.
#include "sched/context/block_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <set>
#include <thread>
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

TEST(BlockCache, WhatOneMakesAndAnotherEndsComesBack) {
  BlockCache maker, ender;
  std::set<void*> used;
  for (int i = 0; i < 10000; ++i) {
    void* block = maker.take(300);
    used.insert(block);
    ender.put(block, 300);
  }
  // What both caches and a chain on its way hold, not thousands of malloc's.
  EXPECT_LT(used.size(), 200u);
}

TEST(BlockCache, ItKeepsNoMoreThanAFewOfASize) {
  std::set<void*> put;
  {
    BlockCache cache;
    for (int i = 0; i < 1000; ++i) put.insert(cache.take(4000));
    for (void* block : put) cache.put(block, 4000);
    // Those beyond the limit went back to malloc; the rest come out again, each once.
    std::set<void*> taken;
    for (int i = 0; i < 40; ++i) taken.insert(cache.take(4000));
    EXPECT_EQ(taken.size(), 40u);
    for (void* block : taken) {
      EXPECT_TRUE(put.contains(block));
      std::free(block);
    }
  }
}

TEST(BlockDepot, AChainIsTakenOnce) {
  BlockDepot depot;
  BlockDepot::Block chains[3];
  EXPECT_EQ(depot.take(4), nullptr);
  for (auto& chain : chains) EXPECT_TRUE(depot.give(4, &chain));
  EXPECT_EQ(depot.take(5), nullptr);
  std::set<BlockDepot::Block*> taken;
  for (int i = 0; i < 3; ++i) taken.insert(depot.take(4));
  EXPECT_EQ(taken, (std::set<BlockDepot::Block*>{chains, chains + 1, chains + 2}));
  EXPECT_EQ(depot.take(4), nullptr);
}

TEST(BlockDepot, ItKeepsAFewChainsOfASize) {
  BlockDepot depot;
  BlockDepot::Block chains[20];
  int given = 0;
  for (auto& chain : chains) given += depot.give(0, &chain);
  EXPECT_GE(given, 1);
  EXPECT_LT(given, 20);
  EXPECT_TRUE(depot.give(1, chains + 19));  // each size for itself
  for (int i = 0; i < given; ++i) EXPECT_NE(depot.take(0), nullptr);
  EXPECT_EQ(depot.take(0), nullptr);
}

// Two that give and two that take: no chain is lost, none is seen by two.
TEST(BlockDepot, ChainsAreNobodyElses) {
  constexpr int rounds = 20000;
  BlockDepot depot;
  std::vector<BlockDepot::Block> chains(64);
  std::vector<std::atomic<int>> owners(chains.size());
  for (auto& chain : chains) {
    if (!depot.give(0, &chain)) break;
  }
  auto exchange = [&] {
    for (int i = 0; i < rounds; ++i) {
      BlockDepot::Block* mine = depot.take(0);
      if (!mine) continue;
      const auto number = static_cast<size_t>(mine - chains.data());
      ASSERT_EQ(owners[number].fetch_add(1), 0);
      mine->next = mine;  // ThreadSanitizer sees whether it was handed over
      ASSERT_EQ(owners[number].fetch_sub(1), 1);
      ASSERT_TRUE(depot.give(0, mine));  // there was room for it before
    }
  };
  std::thread one(exchange), other(exchange);
  one.join();
  other.join();
}

}  // namespace
}  // namespace xylem::sched
