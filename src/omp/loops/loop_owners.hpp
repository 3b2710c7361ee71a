// Owns: the arithmetic of loops with affinity: which member has an iteration, by its absolute index
// (paper 001, section 3.2). The absolute index of an iteration is the loop variable's value divided
// by the step's size, rounded down: it is the same in a loop that begins later or ends sooner, so
// that such a loop's iterations are where those of the longer one were.
//
// Everything here is a pure function. A loop is seen from its lowest index up; iteration 0 of a
// loop that counts down is its highest.
#pragma once

#include <algorithm>
#include <cstdint>

#include "omp/loops/loop_schedule.hpp"

namespace xylem::omp {

inline constexpr int64_t floor_divided(int64_t value, int64_t by) {  // by > 0
  return value / by - (value % by < 0 ? 1 : 0);
}

// The absolute indices of a loop: low .. low + count - 1. Values are taken as signed.
struct IndexRange {
  int64_t low = 0;
  uint64_t count = 0;  // 0: none, or more than can be numbered
  int64_t stride = 1;  // the step's size
  bool down = false;   // iteration 0 has the highest index
};

inline IndexRange index_range(const IterationSpace& space) {
  constexpr uint64_t most = uint64_t{1} << 62;
  const auto step = static_cast<int64_t>(space.step);
  if (step == 0 || step == INT64_MIN || space.count == 0 || space.count > most) return {};
  IndexRange range{0, space.count, step < 0 ? -step : step, step < 0};
  const int64_t first = floor_divided(static_cast<int64_t>(space.first), range.stride);
  const auto others = static_cast<int64_t>(space.count - 1);
  if (range.down ? __builtin_sub_overflow(first, others, &range.low)
                 : first > INT64_MAX - others - 1)
    return {};
  if (!range.down) range.low = first;
  return range;
}

// The indices that a loop of the program had in all its runs so far, and which blocks divide.
class Extent {
 public:
  // True if the range was inside; else the extent grows, or, with another stride, begins anew.
  bool include(const IndexRange& range) {
    const int64_t end = range.low + static_cast<int64_t>(range.count);
    const bool is_new = range.stride != stride_;
    if (!is_new && range.low >= low_ && end <= end_) return true;
    constexpr auto most = int64_t{1} << 62;
    const int64_t low = std::min(low_, range.low), last = std::max(end_, end);
    int64_t length = 0;
    const bool together = !is_new && !__builtin_sub_overflow(last, low, &length) && length <= most;
    low_ = together ? low : range.low;
    end_ = together ? last : end;
    stride_ = range.stride;
    return false;
  }
  int64_t low() const { return low_; }
  uint64_t count() const { return static_cast<uint64_t>(end_ - low_); }

 private:
  int64_t low_ = 0, end_ = 0;
  int64_t stride_ = 0;  // 0: nothing yet
};

// Who has which iterations of one run of a loop.
struct LoopOwners {
  bool cyclic = false;  // chunks in turn; else blocks of whole chunks of about the same size
  uint64_t chunk = 1;   // iterations; >= 1
  uint64_t offset = 0;  // of the lowest index: block: in the extent; cyclic: in a round of members
  uint64_t extent = 0;  // block: indices of the extent; >= offset + the loop's iterations
};

inline LoopOwners block_owners(const IndexRange& range, const Extent& extent, uint64_t chunk) {
  return {false, chunk, static_cast<uint64_t>(range.low - extent.low()), extent.count()};
}

// chunk * members < 2^62.
inline LoopOwners cyclic_owners(const IndexRange& range, uint64_t chunk, int members) {
  const auto round = static_cast<int64_t>(chunk) * members;
  const int64_t offset = range.low - floor_divided(range.low, round) * round;
  return {true, chunk, static_cast<uint64_t>(offset), 0};
}

// The part of the indices from..behind-1 that the loop has, counted from its lowest index.
inline Chunk part_in_loop(const LoopOwners& owners, uint64_t count, uint64_t from,
                          uint64_t behind) {
  const uint64_t first = std::max(from, owners.offset);
  const uint64_t end = std::min(behind, owners.offset + count);
  return first < end ? Chunk{first - owners.offset, end - first} : Chunk{};
}

inline Chunk block_of(const LoopOwners& owners, uint64_t count, int members, int member) {
  const Chunk chunks = static_block(steps(owners.extent, owners.chunk), members, member);
  return part_in_loop(owners, count, chunks.first * owners.chunk,
                      (chunks.first + chunks.count) * owners.chunk);
}

// The number of the first chunk in the loop that the member has in turn.
inline uint64_t first_turn(const LoopOwners& owners, int members, int member) {
  const auto n = static_cast<uint64_t>(members);
  const uint64_t first = owners.offset / owners.chunk;
  return first + (static_cast<uint64_t>(member) + n - first % n) % n;
}

// How many chunks the member has; count >= 1.
inline uint64_t owned_chunks(const LoopOwners& owners, uint64_t count, int members, int member) {
  if (!owners.cyclic) return any(block_of(owners, count, members, member)) ? 1 : 0;
  const uint64_t last = (owners.offset + count - 1) / owners.chunk;
  const uint64_t first = first_turn(owners, members, member);
  return first > last ? 0 : (last - first) / static_cast<uint64_t>(members) + 1;
}

// The member's chunk number `trip` of a loop with `count` iterations, which come in the loop's
// order; none when it has no more.
inline Chunk owned_chunk(const LoopOwners& owners, uint64_t count, bool down, int members,
                         int member, uint64_t trip) {
  const uint64_t chunks = owned_chunks(owners, count, members, member);
  if (trip >= chunks) return {};
  const uint64_t turn = down ? chunks - 1 - trip : trip;
  const uint64_t number =
      first_turn(owners, members, member) + turn * static_cast<uint64_t>(members);
  const Chunk chunk = owners.cyclic ? part_in_loop(owners, count, number * owners.chunk,
                                                   (number + 1) * owners.chunk)
                                    : block_of(owners, count, members, member);
  return down ? Chunk{count - chunk.first - chunk.count, chunk.count} : chunk;
}

}  // namespace xylem::omp
