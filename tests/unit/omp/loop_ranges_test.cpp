// A loop's chunks in ranges: each is given out once, whoever takes it; in blocks; halves go over.
#include "omp/loops/loop_ranges.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace xylem::omp {
namespace {

std::vector<uint64_t> all_of(LoopRanges& ranges, int own) {
  std::vector<uint64_t> taken;
  for (uint64_t chunk = 0; ranges.take(own, chunk);) taken.push_back(chunk);
  return taken;
}

TEST(LoopRanges, GiveTheOwnBlockInOrderFirst) {
  LoopRanges ranges;
  ranges.deal(101, 4, 4);  // the last one is dealt to nobody
  for (const int own : {0, 1, 2, 3})
    for (uint64_t wanted = 0; wanted < 3; ++wanted) {
      uint64_t chunk = 0;
      ASSERT_TRUE(ranges.take(own, chunk));
      EXPECT_EQ(chunk, static_cast<uint64_t>(own) * 25 + wanted);
    }
}

TEST(LoopRanges, OneAloneTakesEachOnce) {
  for (const uint64_t chunks : {8, 9, 100, 1001}) {
    LoopRanges ranges;
    ranges.deal(chunks, 4, 4);
    std::vector<int> times(chunks, 0);
    for (const uint64_t chunk : all_of(ranges, 2)) ++times.at(chunk);
    EXPECT_EQ(times, std::vector<int>(chunks, 1)) << chunks;
    uint64_t chunk = 0;
    for (int own = 0; own < 4; ++own) EXPECT_FALSE(ranges.take(own, chunk)) << own;
  }
}

TEST(LoopRanges, WhoHasNoneTakesTheUpperHalfOfAnother) {
  LoopRanges ranges;
  ranges.deal(65, 2, 2);  // 0 .. 31 and 32 .. 63
  uint64_t chunk = 0;
  for (int i = 0; i < 32; ++i) ASSERT_TRUE(ranges.take(1, chunk));
  ASSERT_TRUE(ranges.take(1, chunk));
  EXPECT_EQ(chunk, 16u);
  ASSERT_TRUE(ranges.take(1, chunk));
  EXPECT_EQ(chunk, 17u);  // the others of that half are its own now
  ASSERT_TRUE(ranges.take(0, chunk));
  EXPECT_EQ(chunk, 0u);
}

// lastprivate of compiled code needs it: who gets the last chunk gets no other after it.
TEST(LoopRanges, TheVeryLastIsTheLastThatSomebodyGets) {
  for (const int own : {0, 1, 2}) {
    LoopRanges ranges;
    ranges.deal(50, 3, 3);
    uint64_t chunk = 0;
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(ranges.take(2, chunk));
    EXPECT_EQ(all_of(ranges, own).back(), 49u) << own;
  }
}

TEST(LoopRanges, AreUsedAgainForOtherLoops) {
  LoopRanges ranges;
  ranges.deal(300, 3, 3);
  uint64_t chunk = 0;
  ASSERT_TRUE(ranges.take(1, chunk));  // others are left
  ranges.deal(40, 2, 2);
  EXPECT_EQ(all_of(ranges, 1).size(), 40u);
  ranges.deal(5000, 8, 8);
  EXPECT_EQ(all_of(ranges, 7).size(), 5000u);
}

TEST(LoopRanges, CountUpToTheLastOfThirtyTwoBits) {
  EXPECT_TRUE(LoopRanges::worth(UINT32_MAX, 2));
  EXPECT_FALSE(LoopRanges::worth(uint64_t{UINT32_MAX} + 1, 2));
  EXPECT_FALSE(LoopRanges::worth(1000, 1));
  EXPECT_FALSE(LoopRanges::worth(0, 2));
  LoopRanges ranges;
  ranges.deal(UINT32_MAX, 2, 2);
  uint64_t chunk = 0;
  ASSERT_TRUE(ranges.take(1, chunk));
  EXPECT_EQ(chunk, uint64_t{UINT32_MAX} / 2);
}

TEST(LoopRanges, TakeFromTheOwnNodeFirst) {
  LoopRanges ranges;
  ranges.deal(401, 4, 2);  // a hundred each
  uint64_t chunk = 0;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(ranges.take(3, chunk));
  ASSERT_TRUE(ranges.take(3, chunk));
  EXPECT_EQ(chunk, 250u);
}

// Several serve one range, as members on one processor do; all chunks are taken, each once.
TEST(LoopRanges, ManyAtOnceTakeEachOnce) {
  constexpr int threads = 12, rounds = 1000;
  constexpr uint64_t chunks = 100;
  for (int round = 0; round < rounds; ++round) {
    LoopRanges ranges;
    ranges.deal(chunks, 3, 3);
    std::vector<std::atomic<int>> times(chunks);
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&, i] {
        for (uint64_t chunk = 0; chunk != ranges.last() && ranges.take(i % 3, chunk);)
          ++times.at(chunk);
      });
    for (std::thread& thread : all) thread.join();
    for (uint64_t chunk = 0; chunk < chunks; ++chunk) ASSERT_EQ(times[chunk], 1) << chunk;
  }
}

}  // namespace
}  // namespace xylem::omp
