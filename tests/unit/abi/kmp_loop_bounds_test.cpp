// A member's part of a static loop, as LLVM's entry points hand it out: what all members run with
// it, in the way of the compiled code, is each iteration once, at the edges of the types too.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "abi/kmp/loop_bounds.hpp"
#include "abi/kmp/schedule_decode.hpp"

namespace xylem::abi::kmp {
namespace {

// The loop's values in order, counted in more bits than any of the types has.
template <typename Int>
std::vector<Int> run_alone(const LoopBounds<Int>& bounds) {
  std::vector<Int> values;
  const auto step = static_cast<__int128>(bounds.step);
  for (auto i = static_cast<__int128>(bounds.lower);
       step > 0 ? i <= bounds.upper : i >= bounds.upper; i += step)
    values.push_back(static_cast<Int>(i));
  return values;
}

template <typename Int>
Int add(Int value, Signed<Int> distance) {
  using Unsigned = std::make_unsigned_t<Int>;
  return static_cast<Int>(static_cast<Unsigned>(value) + static_cast<Unsigned>(distance));
}

template <typename Int>
bool within(Int value, Int bound, bool up) {
  return up ? value <= bound : value >= bound;
}

// As Clang's code goes through its part: the upper bound is kept in the loop; where the schedule
// has chunks, both go on by the stride until the lower one has passed the end.
template <typename Int>
std::vector<Int> run_part(const LoopBounds<Int>& bounds, Part<Int> part, bool chunked) {
  std::vector<Int> values;
  const bool up = bounds.step > 0;
  for (int chunks = 0; chunks < 1000; ++chunks) {
    if (!within(part.upper, bounds.upper, up)) part.upper = bounds.upper;
    if (!within(part.lower, part.upper, up)) return values;
    for (Int i = part.lower;; i = add(i, bounds.step)) {
      values.push_back(i);
      if (i == part.upper || values.size() > 5000) break;
    }
    if (!chunked) return values;
    part.lower = add(part.lower, part.stride);
    part.upper = add(part.upper, part.stride);
  }
  ADD_FAILURE() << "the chunks have no end";
  return values;
}

struct Case {
  int32_t number;
  int64_t chunk;
  bool chunked;
};

constexpr Case cases[] = {{34, 0, false}, {40, 0, false}, {41, 0, false}, {33, 1, true},
                          {33, 3, true},  {33, 50, true}, {45, 4, true},  {45, 3, true},
                          {92, 0, false}, {91, 2, true}};

// The owner of each iteration is as OpenMP says, or blocks are in the members' order.
template <typename Int>
void expect_shared_out(const LoopBounds<Int>& bounds, const Case& wanted) {
  const std::vector<Int> all = run_alone(bounds);
  const omp::Schedule schedule = decode_schedule(wanted.number, wanted.chunk).schedule;
  for (int members = 1; members <= 17; ++members) {
    std::vector<std::vector<Int>> parts;
    int with_last = 0;
    for (int member = 0; member < members; ++member) {
      const Part<Int> part = part_of(bounds, schedule, {member, members});
      parts.push_back(run_part(bounds, part, wanted.chunked));
      if (!part.has_last) continue;
      ++with_last;
      ASSERT_FALSE(parts.back().empty());
      EXPECT_EQ(parts.back().back(), all.back());
    }
    EXPECT_EQ(with_last, all.empty() ? 0 : 1);
    std::vector<size_t> at(parts.size());
    const bool dealt = schedule.kind == omp::LoopKind::static_chunk;
    size_t owner = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      if (dealt && members > 1) owner = i / schedule.chunk % parts.size();
      while (!dealt && owner + 1 < parts.size() && at[owner] == parts[owner].size()) ++owner;
      ASSERT_LT(at[owner], parts[owner].size()) << "number " << wanted.number << ", " << members;
      ASSERT_EQ(parts[owner][at[owner]++], all[i]) << "number " << wanted.number << ", " << members;
    }
    for (size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(at[i], parts[i].size());
  }
}

// Loops of 0 to 40 iterations that begin at the value, or end at it, in both directions.
template <typename Int>
void expect_shared_out_at(Int value) {
  using Limits = std::numeric_limits<Int>;
  for (const Case& wanted : cases)
    for (int length : {0, 1, 2, 3, 7, 16, 17, 18, 40})
      for (int step : {1, 2, 7, -1, -3}) {
        const __int128 behind = static_cast<__int128>(value) + (length - 1) * __int128{step};
        const __int128 before = static_cast<__int128>(value) - (length - 1) * __int128{step};
        if (behind >= Limits::min() && behind <= Limits::max())
          expect_shared_out<Int>({value, static_cast<Int>(behind), step}, wanted);
        if (before >= Limits::min() && before <= Limits::max())
          expect_shared_out<Int>({static_cast<Int>(before), value, step}, wanted);
      }
}

// Far enough from the edge for the rounds of chunks that the compiled code itself adds up.
template <typename Int>
void expect_shared_out_everywhere() {
  constexpr auto room = Int{2000};
  expect_shared_out_at<Int>(std::numeric_limits<Int>::min() + room);
  expect_shared_out_at<Int>(std::numeric_limits<Int>::max() - room);
  expect_shared_out_at<Int>(std::numeric_limits<Int>::max() / 2);
  expect_shared_out_at<Int>(5000);
}

TEST(StaticPart, EachIterationOnce) {
  expect_shared_out_everywhere<int32_t>();
  expect_shared_out_everywhere<uint32_t>();
  expect_shared_out_everywhere<int64_t>();
  expect_shared_out_everywhere<uint64_t>();
}

// Blocks need no room: at the very edges.
template <typename Int>
void expect_blocks_at_edges() {
  using Limits = std::numeric_limits<Int>;
  for (int32_t number : {34, 40, 41})
    for (int length = 0; length <= 20; ++length) {
      const auto distance = static_cast<Int>(length - 1);
      if (length == 0) continue;
      expect_shared_out<Int>({static_cast<Int>(Limits::max() - distance), Limits::max(), 1},
                             {number, 0, false});
      expect_shared_out<Int>({Limits::min(), static_cast<Int>(Limits::min() + distance), 1},
                             {number, 0, false});
      expect_shared_out<Int>({static_cast<Int>(Limits::min() + distance), Limits::min(), -1},
                             {number, 0, false});
      expect_shared_out<Int>({Limits::max(), static_cast<Int>(Limits::max() - distance), -1},
                             {number, 0, false});
    }
}

TEST(StaticPart, BlocksAtTheEdgesOfTheTypes) {
  expect_blocks_at_edges<int32_t>();
  expect_blocks_at_edges<uint32_t>();
  expect_blocks_at_edges<int64_t>();
  expect_blocks_at_edges<uint64_t>();
}

// Clang counts from 0, so the last number of a type is never reached; chunks and strides are.
TEST(StaticPart, FewLongChunksDoNotWrapAround) {
  constexpr uint32_t last = std::numeric_limits<uint32_t>::max() - 1;
  for (uint32_t chunk : {0x7fff'ffffu, 0x6000'0000u, 0x4000'0001u})
    for (int members = 2; members <= 17; ++members) {
      const omp::Schedule schedule = decode_schedule(33, chunk).schedule;
      uint64_t covered = 0;
      for (int member = 0; member < members; ++member) {
        const auto part = part_of<uint32_t>({0, last, 1}, schedule, {member, members});
        if (part.lower > part.upper) continue;
        const uint64_t begin = static_cast<uint64_t>(member) * chunk;
        EXPECT_EQ(part.lower, begin);
        EXPECT_EQ(part.upper, std::min<uint64_t>(begin + chunk - 1, last));
        covered += part.upper - part.lower + 1;
        const bool only = (begin + uint64_t{chunk} * static_cast<uint64_t>(members)) > last;
        if (only) {
          EXPECT_GT(add(part.lower, part.stride), last);
        }
        EXPECT_EQ(part.has_last,
                  last / chunk % static_cast<uint32_t>(members) == static_cast<uint32_t>(member));
      }
      EXPECT_EQ(covered, std::min<uint64_t>(uint64_t{chunk} * static_cast<uint64_t>(members),
                                            uint64_t{last} + 1));
    }
}

TEST(StaticPart, AnEmptyLoopIsLeftAsItIs) {
  const auto part = part_of<int32_t>({5, 4, 1}, {}, {1, 3});
  EXPECT_EQ(part.lower, 5);
  EXPECT_EQ(part.upper, 4);
  EXPECT_FALSE(part.has_last);
}

TEST(StaticPart, WholeTypesAreCounted) {
  using Limits = std::numeric_limits<int64_t>;
  EXPECT_EQ((space_of<int32_t>({INT32_MIN, INT32_MAX, 1}).count), uint64_t{1} << 32);
  EXPECT_EQ((space_of<uint32_t>({UINT32_MAX, 0, -1}).count), uint64_t{1} << 32);
  EXPECT_EQ((space_of<int64_t>({Limits::min(), Limits::max(), 2}).count), uint64_t{1} << 63);
  EXPECT_EQ((space_of<int64_t>({Limits::max(), Limits::min(), Limits::min()}).count), 2u);
  EXPECT_EQ((space_of<uint64_t>({0, UINT64_MAX, 1}).count), UINT64_MAX);
  EXPECT_EQ((space_of<int32_t>({INT32_MAX, INT32_MIN, INT32_MIN}).count), 2u);
}

}  // namespace
}  // namespace xylem::abi::kmp
