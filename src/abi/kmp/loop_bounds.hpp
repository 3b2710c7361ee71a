// Owns: loops as LLVM's entry points describe them: both bounds are part of the loop, and they and
// the step are 32 or 64 bits, the bounds signed or not. Pure functions.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "omp/loops/loop.hpp"

namespace xylem::abi::kmp {

template <typename Int>
using Signed = std::make_signed_t<Int>;

// for (i = lower; i <= upper; i += step), or >= upper when step < 0. step != 0.
template <typename Int>
struct LoopBounds {
  Int lower;
  Int upper;
  Signed<Int> step;

  bool empty() const { return step > 0 ? upper < lower : lower < upper; }
};

// A value in the 64 bits that omp/ counts in: conversions back are modulo 2^32 or 2^64.
template <typename Int>
uint64_t widen(Int value) {
  return static_cast<uint64_t>(value);
}

// A loop through all 2^64 values is taken for one iteration less; nothing runs that many.
template <typename Int>
omp::IterationSpace space_of(const LoopBounds<Int>& bounds) {
  using Unsigned = std::make_unsigned_t<Int>;
  omp::IterationSpace space{widen(bounds.lower), widen(bounds.step), 0, 0};
  if (bounds.empty()) return space;
  const bool up = bounds.step > 0;
  const auto lower = static_cast<Unsigned>(bounds.lower);
  const auto upper = static_cast<Unsigned>(bounds.upper);
  const auto step = static_cast<Unsigned>(bounds.step);
  // Modulo 2^bits: the distance of two values in the right order always fits.
  const auto distance = static_cast<Unsigned>(up ? upper - lower : lower - upper);
  const auto stride = static_cast<Unsigned>(up ? step : Unsigned{0} - step);
  const uint64_t number_of_last = distance / stride;
  const bool all_values = number_of_last == std::numeric_limits<uint64_t>::max();
  space.count = all_values ? number_of_last : number_of_last + 1;
  space.end = space.first + space.count * space.step;
  return space;
}

template <typename Int>
Int value_of(const omp::IterationSpace& space, uint64_t iteration) {
  return static_cast<Int>(space.first + iteration * space.step);
}

// One of the threads, or teams, that a static loop is divided among.
struct Sharer {
  int num;
  int of;
};

// What one of them runs: its first chunk, and how far its next ones are: the compiled code adds
// `stride` to both bounds until the lower one has passed the loop's upper bound, and itself keeps
// the upper one inside the loop.
template <typename Int>
struct Part {
  Int lower;
  Int upper;
  Signed<Int> stride;
  bool has_last;  // the loop's last iteration, in this chunk or in a later one
};

// Bounds that the compiled code takes for no iterations: in their type, whatever it is.
template <typename Int>
Part<Int> no_part(const LoopBounds<Int>& bounds) {
  const bool up = bounds.step > 0;
  const Int most = up ? std::numeric_limits<Int>::max() : std::numeric_limits<Int>::min();
  const Int one = up ? Int{1} : static_cast<Int>(-1);
  if (bounds.upper == most)
    return {bounds.upper, static_cast<Int>(bounds.upper - one), bounds.step, false};
  return {static_cast<Int>(bounds.upper + one), bounds.upper, bounds.step, false};
}

// The stride leads to the next chunk. Who has no other is led to just behind the loop: the distance
// of another round could wrap around, into the loop once more.
template <typename Int>
Part<Int> chunked_part(const omp::IterationSpace& space, uint64_t size, Sharer sharer,
                       const omp::Chunk& first) {
  const auto others = static_cast<uint64_t>(sharer.of);
  const bool more = any(omp::static_chunk(space.count, size, sharer.of, sharer.num, 1));
  const uint64_t distance = more ? size * others : space.count - first.first;
  const uint64_t owner_of_last = (space.count - 1) / size % others;
  return {value_of<Int>(space, first.first), value_of<Int>(space, first.first + first.count - 1),
          static_cast<Signed<Int>>(distance * space.step),
          owner_of_last == static_cast<uint64_t>(sharer.num)};
}

template <typename Int>
Part<Int> block_part(const omp::IterationSpace& space, const omp::Chunk& block) {
  const uint64_t behind = block.first + block.count;
  return {value_of<Int>(space, block.first), value_of<Int>(space, behind - 1),
          static_cast<Signed<Int>>((space.count - block.first) * space.step),
          behind == space.count};
}

// By what the sharers divide the loop: who is alone runs all of it in one piece.
inline omp::Schedule division(const omp::Schedule& clause, uint64_t count, int sharers) {
  return sharers == 1 ? omp::Schedule{} : omp::settle(clause, count, sharers);
}

// One sharer's chunk number `trip` (from 0) under a schedule that division() gave; none when the
// sharer has no more.
inline omp::Chunk chunk_of(uint64_t count, const omp::Schedule& schedule, Sharer sharer,
                           uint64_t trip) {
  if (schedule.kind == omp::LoopKind::static_chunk)
    return omp::static_chunk(count, schedule.chunk, sharer.of, sharer.num, trip);
  return trip == 0 ? omp::static_block(count, sharer.of, sharer.num) : omp::Chunk{};
}

// The part of a loop with a static schedule. An empty loop is left as it is.
template <typename Int>
Part<Int> part_of(const LoopBounds<Int>& bounds, const omp::Schedule& clause, Sharer sharer) {
  const omp::IterationSpace space = space_of(bounds);
  if (space.count == 0) return {bounds.lower, bounds.upper, bounds.step, false};
  if (sharer.of == 1)
    return {bounds.lower, bounds.upper, static_cast<Signed<Int>>(space.count * space.step), true};
  const omp::Schedule schedule = division(clause, space.count, sharer.of);
  const omp::Chunk first = chunk_of(space.count, schedule, sharer, 0);
  if (!any(first)) return no_part(bounds);
  return schedule.kind == omp::LoopKind::static_chunk
             ? chunked_part<Int>(space, schedule.chunk, sharer, first)
             : block_part<Int>(space, first);
}

}  // namespace xylem::abi::kmp
