// Owners of iterations by absolute index: each iteration has one, in the loop's order, and the same
// one in a loop that begins later, ends sooner, or goes the other way.
#include "omp/loops/loop_owners.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "plan/random.hpp"

namespace xylem::omp {
namespace {

struct Division {
  bool cyclic;
  uint64_t chunk;
  int members;
};

LoopOwners owners_of(const IterationSpace& space, const Extent& extent, const Division& division) {
  const IndexRange range = index_range(space);
  return division.cyclic ? cyclic_owners(range, division.chunk, division.members)
                         : block_owners(range, extent, division.chunk);
}

// The owner of each value of the loop variable. Fails unless each iteration is run once, by each
// member in the loop's order.
std::map<long, int> owners_by_value(const IterationSpace& space, const Extent& extent,
                                    const Division& division) {
  const LoopOwners owners = owners_of(space, extent, division);
  std::map<long, int> by_value;
  for (int member = 0; member < division.members; ++member) {
    uint64_t behind = 0;
    for (uint64_t trip = 0;; ++trip) {
      const Chunk chunk =
          owned_chunk(owners, space.count, index_range(space).down, division.members, member, trip);
      if (!any(chunk)) break;
      EXPECT_GE(chunk.first, behind);
      behind = chunk.first + chunk.count;
      EXPECT_LE(behind, space.count);
      for (uint64_t i = chunk.first; i < behind; ++i) {
        const auto value = static_cast<long>(space.first + i * space.step);
        EXPECT_TRUE(by_value.emplace(value, member).second) << value;
      }
    }
  }
  EXPECT_EQ(by_value.size(), space.count);
  return by_value;
}

Extent extent_of(const IterationSpace& space) {
  Extent extent;
  extent.include(index_range(space));
  return extent;
}

// The paper's LU: the j loop of step k has the columns k + 1 to n - 1.
TEST(LoopOwners, AreTheSameInTheShorterLoopsOfLu) {
  constexpr long n = 100;
  for (const bool cyclic : {false, true})
    for (const uint64_t chunk : {1, 3, 8})
      for (const int members : {1, 3, 4, 16, 128}) {
        const Division division{cyclic, chunk, members};
        const Extent extent = extent_of(signed_space(1, n, 1));
        const std::map<long, int> whole = owners_by_value(signed_space(1, n, 1), extent, division);
        for (long k = 1; k < n - 1; k += 7)
          for (const auto& [value, owner] :
               owners_by_value(signed_space(k + 1, n - k / 3, 1), extent, division))
            ASSERT_EQ(owner, whole.at(value)) << cyclic << chunk << members << " k " << k;
      }
}

TEST(LoopOwners, AreTheSameInTheLoopThatGoesTheOtherWay) {
  for (const bool cyclic : {false, true}) {
    const Division division{cyclic, 2, 3};
    const Extent extent = extent_of(signed_space(-20, 21, 1));
    const auto up = owners_by_value(signed_space(-20, 21, 1), extent, division);
    const auto down = owners_by_value(signed_space(20, -21, -1), extent, division);
    EXPECT_EQ(up, down);
    const auto part = owners_by_value(signed_space(11, -7, -1), extent, division);
    for (const auto& [value, owner] : part) EXPECT_EQ(owner, up.at(value));
  }
}

// Red and black points of one row lie together.
TEST(LoopOwners, OfOddAndEvenIndicesGoTogether) {
  const Division division{true, 1, 4};
  const auto even = owners_by_value(signed_space(0, 64, 2), {}, division);
  const auto odd = owners_by_value(signed_space(1, 64, 2), {}, division);
  for (const auto& [value, owner] : even) EXPECT_EQ(owner, odd.at(value + 1));
}

TEST(LoopOwners, InTurnAreTheIndexModuloTheMembers) {
  for (const auto& [value, owner] : owners_by_value(signed_space(13, 99, 1), {}, {true, 1, 5}))
    EXPECT_EQ(owner, value % 5);
}

// As compilers divide schedule(static): an array that such a loop touched first is where a loop
// with affinity wants it.
TEST(LoopOwners, InBlocksAreThoseOfStaticLoops) {
  const IterationSpace space = signed_space(0, 103, 1);
  for (const auto& [value, owner] : owners_by_value(space, extent_of(space), {false, 1, 8}))
    EXPECT_EQ(owner, static_block_owner(103, 8, static_cast<uint64_t>(value)));
}

TEST(LoopOwners, BlocksAreWholeChunks) {
  const IterationSpace space = signed_space(0, 100, 1);
  for (const auto& [value, owner] : owners_by_value(space, extent_of(space), {false, 8, 4}))
    EXPECT_EQ(owner, owners_by_value(space, extent_of(space), {false, 8, 4}).at(value / 8 * 8));
}

// Any loop, extent and division; also loops that the extent does not hold when they come.
TEST(LoopOwners, HaveEachIterationOnce) {
  plan::Random random(7);
  Extent extent;
  for (int drawn = 0; drawn < 3000; ++drawn) {
    const long step = random.below(2) == 0 ? 1 + random.below(3) : -1 - random.below(3);
    const long first = random.below(400) - 200, length = 1 + random.below(150);
    const IterationSpace space = step > 0 ? signed_space(first, first + length, step)
                                          : signed_space(first, first - length, step);
    extent.include(index_range(space));
    const Division division{random.below(2) == 0, static_cast<uint64_t>(1 + random.below(9)),
                            1 + random.below(20)};
    owners_by_value(space, extent, division);
    if (HasFailure()) FAIL() << drawn;
  }
}

TEST(LoopOwners, ExtentsGrowAndBeginAnewWithAnotherStep) {
  Extent extent;
  EXPECT_FALSE(extent.include(index_range(signed_space(10, 20, 1))));
  EXPECT_TRUE(extent.include(index_range(signed_space(12, 20, 1))));
  EXPECT_FALSE(extent.include(index_range(signed_space(5, 12, 1))));
  EXPECT_EQ(extent.low(), 5);
  EXPECT_EQ(extent.count(), 15u);
  EXPECT_FALSE(extent.include(index_range(signed_space(0, 12, 4))));
  EXPECT_EQ(extent.count(), 3u);
}

// Loops that cannot be numbered say so, and are divided as if nothing were known.
TEST(LoopOwners, AreNotFoundForLoopsOfAllValues) {
  EXPECT_EQ(index_range(signed_space(INT64_MIN, INT64_MAX, 1)).count, 0u);
  EXPECT_EQ(index_range(unsigned_space(true, 0, UINT64_MAX, 1)).count, 0u);
  EXPECT_EQ(index_range(signed_space(0, 0, 1)).count, 0u);
  EXPECT_EQ(index_range(signed_space(INT64_MAX - 10, INT64_MAX, 1)).count, 10u);
  EXPECT_EQ(index_range(signed_space(INT64_MIN + 3, INT64_MIN, -1)).count, 3u);
  EXPECT_EQ(index_range(unsigned_space(true, UINT64_MAX - 9, UINT64_MAX, 1)).count, 9u);
}

}  // namespace
}  // namespace xylem::omp
