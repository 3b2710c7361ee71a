// The arithmetic of worksharing loops: bounds, edges of the types, every iteration exactly once.
#include "omp/loops/loop_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <random>
#include <vector>

namespace xylem::omp {
namespace {

// Counts by running the loop, for small loops.
uint64_t count_by_running(long start, long end, long step) {
  uint64_t count = 0;
  if (step > 0)
    for (__int128 i = start; i < end; i += step) ++count;
  else
    for (__int128 i = start; i > end; i += step) ++count;
  return count;
}

TEST(IterationSpace, CountsSmallSignedLoops) {
  for (long start = -7; start <= 7; ++start)
    for (long end = -7; end <= 7; ++end)
      for (long step : {-9L, -3L, -2L, -1L, 1L, 2L, 3L, 9L})
        EXPECT_EQ(signed_space(start, end, step).count, count_by_running(start, end, step))
            << start << ' ' << end << ' ' << step;
}

TEST(IterationSpace, CountsAtTheEdgesOfLong) {
  EXPECT_EQ(signed_space(LONG_MIN, LONG_MAX, 1).count, ULONG_MAX);
  EXPECT_EQ(signed_space(LONG_MAX, LONG_MIN, -1).count, ULONG_MAX);
  EXPECT_EQ(signed_space(LONG_MIN, LONG_MAX, LONG_MAX).count, 3u);
  EXPECT_EQ(signed_space(LONG_MAX, LONG_MIN, LONG_MIN).count, 2u);
  EXPECT_EQ(signed_space(LONG_MAX - 5, LONG_MAX, 3).count, 2u);
  EXPECT_EQ(signed_space(LONG_MIN + 5, LONG_MIN, -3).count, 2u);
  EXPECT_EQ(signed_space(LONG_MAX, LONG_MAX, 1).count, 0u);
}

TEST(IterationSpace, CountsUnsignedLoops) {
  EXPECT_EQ(unsigned_space(true, 0, ULLONG_MAX, 1).count, ULLONG_MAX);
  EXPECT_EQ(unsigned_space(true, 0, ULLONG_MAX, ULLONG_MAX).count, 1u);
  EXPECT_EQ(unsigned_space(true, ULLONG_MAX - 4, ULLONG_MAX, 3).count, 2u);
  EXPECT_EQ(unsigned_space(false, ULLONG_MAX, 0, -1ull).count, ULLONG_MAX);
  EXPECT_EQ(unsigned_space(false, 10, 0, -3ull).count, 4u);
  EXPECT_EQ(unsigned_space(false, 0, 10, -3ull).count, 0u);
  EXPECT_EQ(unsigned_space(true, 10, 0, 3).count, 0u);
}

TEST(ChunkBounds, GivesTheLoopVariablesValues) {
  const IterationSpace space = signed_space(10, -10, -4);  // 10 6 2 -2 -6
  ASSERT_EQ(space.count, 5u);
  const ChunkBounds middle = chunk_bounds(space, {1, 2});
  EXPECT_EQ(static_cast<long>(middle.start), 6);
  EXPECT_EQ(static_cast<long>(middle.end), -2);
  const ChunkBounds last = chunk_bounds(space, {3, 2});
  EXPECT_EQ(static_cast<long>(last.start), -2);
  EXPECT_EQ(static_cast<long>(last.end), -10);
}

TEST(ChunkBounds, TheLastChunkEndsAtTheGivenBound) {
  const IterationSpace space = signed_space(LONG_MAX - 5, LONG_MAX, 4);
  ASSERT_EQ(space.count, 2u);
  EXPECT_EQ(static_cast<long>(chunk_bounds(space, {1, 1}).end), LONG_MAX);
}

// The chunks of a list must follow each other from 0 to count.
void expect_partition(std::vector<Chunk> chunks, uint64_t count) {
  std::sort(chunks.begin(), chunks.end(),
            [](const Chunk& a, const Chunk& b) { return a.first < b.first; });
  uint64_t next = 0;
  for (const Chunk& chunk : chunks) {
    ASSERT_EQ(chunk.first, next);
    ASSERT_NE(chunk.count, 0u);
    next += chunk.count;
  }
  ASSERT_EQ(next, count);
}

std::vector<uint64_t> counts_to_try() {
  std::vector<uint64_t> counts{0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 1000};
  std::mt19937_64 random(7);
  for (int i = 0; i < 20; ++i) counts.push_back(random() % 3000);
  return counts;
}

constexpr int kTeams[] = {1, 2, 3, 7, 8, 64, 129};
constexpr uint64_t kSizes[] = {1, 2, 3, 10, 100, 5000, UINT64_MAX / 2, UINT64_MAX};

TEST(StaticBlock, DividesEvenlyAndExactlyOnce) {
  for (uint64_t count : counts_to_try())
    for (int members : kTeams) {
      std::vector<Chunk> chunks;
      for (int member = 0; member < members; ++member) {
        const Chunk chunk = static_block(count, members, member);
        const uint64_t even = count / static_cast<uint64_t>(members);
        EXPECT_TRUE(chunk.count == even || chunk.count == even + 1);
        if (any(chunk)) chunks.push_back(chunk);
        for (uint64_t i = 0; i < chunk.count; ++i)
          EXPECT_EQ(static_block_owner(count, members, chunk.first + i), member);
      }
      expect_partition(chunks, count);
    }
}

TEST(StaticBlock, DividesTheLargestLoop) {
  uint64_t next = 0;
  for (int member = 0; member < 3; ++member) {
    const Chunk chunk = static_block(UINT64_MAX, 3, member);
    EXPECT_EQ(chunk.first, next);
    EXPECT_EQ(static_block_owner(UINT64_MAX, 3, chunk.first + chunk.count - 1), member);
    next += chunk.count;
  }
  EXPECT_EQ(next, UINT64_MAX);
}

TEST(StaticChunk, DealsRoundRobinExactlyOnce) {
  for (uint64_t count : counts_to_try())
    for (int members : kTeams)
      for (uint64_t size : kSizes) {
        std::vector<Chunk> chunks;
        for (int member = 0; member < members; ++member)
          for (uint64_t trip = 0;; ++trip) {
            const Chunk chunk = static_chunk(count, size, members, member, trip);
            if (!any(chunk)) break;
            EXPECT_EQ(chunk.first / size % static_cast<uint64_t>(members),
                      static_cast<uint64_t>(member));
            chunks.push_back(chunk);
          }
        expect_partition(chunks, count);
      }
}

TEST(StaticChunk, DoesNotWrapAround) {
  EXPECT_FALSE(any(static_chunk(UINT64_MAX, UINT64_MAX / 2, 2, 1, 1)));    // number 3
  EXPECT_EQ(static_chunk(UINT64_MAX, UINT64_MAX / 2, 2, 0, 1).count, 1u);  // number 2
  EXPECT_FALSE(any(static_chunk(5, 1, 4, 3, UINT64_MAX)));
}

TEST(DynamicChunk, ExactlyOnce) {
  for (uint64_t count : counts_to_try())
    for (uint64_t size : kSizes) {
      std::vector<Chunk> chunks;
      uint64_t next = 0;
      while (any(dynamic_chunk(count, size, next))) {
        chunks.push_back(dynamic_chunk(count, size, next));
        next += chunks.back().count;
      }
      expect_partition(chunks, count);
    }
  EXPECT_FALSE(any(dynamic_chunk(10, 4, UINT64_MAX)));
}

TEST(GuidedChunk, ShrinksAndCoversExactlyOnce) {
  for (uint64_t count : counts_to_try())
    for (int members : kTeams)
      for (uint64_t size : kSizes) {
        std::vector<Chunk> chunks;
        uint64_t next = 0;
        while (any(guided_chunk(count, size, members, next))) {
          const Chunk chunk = guided_chunk(count, size, members, next);
          if (!chunks.empty()) {
            EXPECT_LE(chunk.count, chunks.back().count);
          }
          const bool last = chunk.first + chunk.count == count;
          EXPECT_TRUE(last || chunk.count >= size);
          next += chunk.count;
          chunks.push_back(chunk);
        }
        expect_partition(chunks, count);
      }
}

// Members take numbers in any order; each goes through the chunks by itself.
TEST(GuidedChunk, IsTheSameByItsNumber) {
  for (const uint64_t count : counts_to_try())
    for (const int members : kTeams)
      for (const uint64_t size : kSizes)
        for (const bool whole : {false, true}) {
          std::vector<GuidedPlace> places(3);
          uint64_t next = 0;
          for (uint64_t number = 0;; ++number) {
            const Chunk wanted = guided_chunk(count, size, members, next, whole);
            const Chunk chunk =
                guided_chunk_at(count, size, members, whole, places[number * number % 3], number);
            ASSERT_EQ(chunk.count, wanted.count);
            if (!any(chunk)) break;
            ASSERT_EQ(chunk.first, wanted.first);
            next += chunk.count;
          }
          for (GuidedPlace& place : places)
            for (const uint64_t behind : {uint64_t{1} << 40, UINT64_MAX})
              ASSERT_FALSE(any(guided_chunk_at(count, size, members, whole, place, behind)));
        }
}

TEST(FitsFetchAdd, KnowsWhenTheCounterWouldWrap) {
  EXPECT_TRUE(fits_fetch_add(1000, 10, 64));
  EXPECT_FALSE(fits_fetch_add(UINT64_MAX, 1, 1));
  EXPECT_FALSE(fits_fetch_add(10, UINT64_MAX, 1));
  EXPECT_FALSE(fits_fetch_add(10, UINT64_MAX / 2, 3));
  EXPECT_TRUE(fits_fetch_add(UINT64_MAX - 64, 1, 64));
}

TEST(RandomLoops, TheChunksValuesAreTheLoops) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    const long step = static_cast<long>(random() % 41) - 20;
    if (step == 0) continue;
    const long start = static_cast<long>(random());
    const long far = static_cast<long>(random() % 400);
    long end;
    if (step > 0 ? __builtin_add_overflow(start, far, &end)
                 : __builtin_sub_overflow(start, far, &end))
      continue;
    const IterationSpace space = signed_space(start, end, step);
    const uint64_t size = random() % 9 + 1;
    __int128 expected = start;
    for (uint64_t next = 0; any(dynamic_chunk(space.count, size, next)); next += size) {
      const ChunkBounds bounds = chunk_bounds(space, dynamic_chunk(space.count, size, next));
      const auto to = static_cast<long>(bounds.end);
      __int128 i = static_cast<long>(bounds.start);
      for (; step > 0 ? i < to : i > to; i += step) {
        ASSERT_EQ(i, expected);
        expected += step;
      }
    }
    EXPECT_TRUE(step > 0 ? expected >= end : expected <= end);
  }
}

}  // namespace
}  // namespace xylem::omp
