// Dynamic loops that begin where their data is: each iteration is in one chunk, each chunk in one
// range, in the loop's order, and in that of the owner of its first iteration.
#include "omp/loops/loop_homes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace xylem::omp {
namespace {

constexpr int nobody = -1;

struct Case {
  IterationSpace space;
  bool cyclic = false;
  uint64_t owners_chunk = 1;
  uint64_t chunk = 1;
  int members = 1;
};

HomedLoop homed(const Case& it, const Extent& extent) {
  const IndexRange range = index_range(it.space);
  const LoopOwners owners = it.cyclic ? cyclic_owners(range, it.owners_chunk, it.members)
                                      : block_owners(range, extent, it.owners_chunk);
  return {owners, range.count, range.down, it.chunk, it.members};
}

Chunk range_of(const HomedLoop& loop, int member) {
  return loop.owners.cyclic ? homed_in_turn(loop, member) : homed_in_block(loop, member);
}

Chunk iterations_of(const HomedLoop& loop, uint64_t number) {
  return loop.owners.cyclic ? chunk_in_turn(loop, number)
                            : dynamic_chunk(loop.count, loop.chunk, number * loop.chunk);
}

uint64_t last_of(const HomedLoop& loop) {
  return loop.owners.cyclic ? last_in_turn(loop) : last_in_blocks(loop);
}

// By iteration: who has it first.
class Dealt {
 public:
  explicit Dealt(const HomedLoop& loop) : loop_(loop), has_(loop.count, nobody) {
    for (int member = 0; member < loop.members; ++member) add_range(member);
    const Chunk last = iterations_of(loop, last_of(loop));
    EXPECT_EQ(last.first + last.count, loop.count);
    EXPECT_GE(last.count, 1u);
    for (uint64_t i = 0; i < last.first; ++i) EXPECT_NE(has_[i], nobody) << i;
    for (uint64_t i = last.first; i < loop.count; ++i) EXPECT_EQ(has_[i], nobody) << i;
  }
  const std::vector<int>& has() const { return has_; }

 private:
  void add_range(int member) {
    const Chunk numbers = range_of(loop_, member);
    uint64_t behind = 0;
    for (uint64_t number = numbers.first; number < numbers.first + numbers.count; ++number) {
      EXPECT_NE(number, last_of(loop_));
      const Chunk chunk = iterations_of(loop_, number);
      EXPECT_GE(chunk.count, 1u);
      EXPECT_GE(chunk.first, behind);
      behind = chunk.first + chunk.count;
      for (uint64_t i = chunk.first; i < behind; ++i) {
        EXPECT_EQ(has_.at(i), nobody) << i;
        has_[i] = member;
      }
    }
  }

  HomedLoop loop_;
  std::vector<int> has_;
};

// The owner of each iteration in a loop with owners.
std::vector<int> owned(const HomedLoop& loop) {
  std::vector<int> owner(loop.count, nobody);
  for (int member = 0; member < loop.members; ++member)
    for (uint64_t trip = 0;; ++trip) {
      const Chunk chunk =
          owned_chunk(loop.owners, loop.count, loop.down, loop.members, member, trip);
      if (!any(chunk)) break;
      for (uint64_t i = chunk.first; i < chunk.first + chunk.count; ++i) owner[i] = member;
    }
  return owner;
}

std::vector<IterationSpace> spaces() {
  return {signed_space(0, 100, 1),  signed_space(-7, 1, 1),    signed_space(37, 100, 1),
          signed_space(99, -1, -1), signed_space(80, 11, -3),  signed_space(5, 6, 1),
          signed_space(12, 95, 7),  signed_space(61, -20, -2), signed_space(3, 5, 1)};
}

TEST(LoopHomes, EachIterationIsDealtOnce) {
  for (const IterationSpace& space : spaces())
    for (const bool cyclic : {false, true})
      for (const uint64_t owners_chunk : {1, 3, 8, 1000})
        for (const uint64_t chunk : {1, 2, 7})
          for (const int members : {1, 2, 3, 5, 16}) {
            Extent extent;
            extent.include(index_range(space));
            SCOPED_TRACE(testing::Message()
                         << space.first << " " << space.end << " " << cyclic << " " << owners_chunk
                         << " " << chunk << " " << members);
            const Dealt dealt(homed({space, cyclic, owners_chunk, chunk, members}, extent));
            if (testing::Test::HasFailure()) return;
          }
}

// All but the last chunk, which is nobody's; of chunks that reach into the next block the rest goes
// along.
TEST(LoopHomes, AreThoseOfTheOwners) {
  for (const IterationSpace& space : spaces())
    for (const bool cyclic : {false, true})
      for (const uint64_t owners_chunk : {1, 4}) {
        Extent extent;
        extent.include(index_range(signed_space(-100, 100, 1)));
        extent.include(index_range(space));
        const HomedLoop loop = homed({space, cyclic, owners_chunk, 1, 4}, extent);
        const Dealt dealt(loop);
        const std::vector<int> owner = owned(loop);
        for (uint64_t i = 0; i < loop.count; ++i)
          if (dealt.has()[i] != nobody) {
            ASSERT_EQ(dealt.has()[i], owner[i]) << i << " of " << space.first;
          }
      }
}

TEST(LoopHomes, AChunkOverTheEndOfABlockBelongsToWhereItBegins) {
  Extent extent;
  const IterationSpace space = signed_space(0, 20, 1);
  extent.include(index_range(space));
  const Dealt dealt(
      homed({space, false, 1, 4, 2}, extent));  // blocks end at 10, chunks at 8 and 12
  EXPECT_EQ(dealt.has()[11], 0);
  EXPECT_EQ(dealt.has()[12], 1);
}

}  // namespace
}  // namespace xylem::omp
