// Owns: the arithmetic of worksharing loops: how iterations are counted and cut into chunks.
//
// Everything here is a pure function of its arguments. Iterations are numbered 0 .. count-1
// whatever the loop variable's type and direction, so one code serves `long` and `unsigned long
// long`. The loop variable is kept as its 64 bits, and converting back is arithmetic modulo 2^64.
//
// All of it is inline: a chunk that is handed over in memory costs more than its arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

namespace xylem::omp {

// A loop's iterations: iteration i has the value first + i * step (mod 2^64).
struct IterationSpace {
  uint64_t first = 0;
  uint64_t step = 1;
  uint64_t end = 0;    // the bound as the program gave it; the last chunk ends there
  uint64_t count = 0;  // iterations; at most 2^64 - 1
};

// Steps of `stride` that fit into a half-open range `distance` long; distance >= 1.
inline uint64_t steps(uint64_t distance, uint64_t stride) {
  return stride <= 1 ? distance : (distance - 1) / stride + 1;
}

// for (i = start; i < end; i += step), or > end when step < 0. step != 0.
inline IterationSpace signed_space(long start, long end, long step) {
  // Differences are taken modulo 2^64: that of two longs in the right order always fits.
  const auto first = static_cast<uint64_t>(start);
  const auto last = static_cast<uint64_t>(end);
  const auto stride = static_cast<uint64_t>(step);
  IterationSpace space{first, stride, last, 0};
  if (step > 0 && start < end) space.count = steps(last - first, stride);
  if (step < 0 && start > end) space.count = steps(first - last, 0 - stride);
  return space;
}

// The same for unsigned long long; `up` says whether step counts up (it is negated otherwise).
inline IterationSpace unsigned_space(bool up, uint64_t start, uint64_t end, uint64_t step) {
  IterationSpace space{start, step, end, 0};
  if (up && start < end) space.count = steps(end - start, step);
  if (!up && start > end) space.count = steps(start - end, 0 - step);
  return space;
}

// Iterations first .. first + count - 1. None when count == 0.
struct Chunk {
  uint64_t first = 0;
  uint64_t count = 0;
};

inline bool any(const Chunk& chunk) { return chunk.count != 0; }

// A chunk in the loop variable's values: [start, end) in the loop's direction.
struct ChunkBounds {
  uint64_t start;
  uint64_t end;
};

inline ChunkBounds chunk_bounds(const IterationSpace& space, const Chunk& chunk) {
  const uint64_t behind = chunk.first + chunk.count;
  // The value behind the last iteration may lie beyond the type: the given bound serves as well.
  return {space.first + chunk.first * space.step,
          behind == space.count ? space.end : space.first + behind * space.step};
}

// The same with the last iteration's value instead of the bound, which may lie beyond the type.
struct InclusiveBounds {
  uint64_t first;
  uint64_t last;
  uint64_t step;
  bool ends_loop;  // the loop's last iteration is among them
};

inline InclusiveBounds inclusive_bounds(const IterationSpace& space, const Chunk& chunk) {
  const uint64_t behind = chunk.first + chunk.count;
  return {space.first + chunk.first * space.step, space.first + (behind - 1) * space.step,
          space.step, behind == space.count};
}

// The iterations of one member under schedule(static): blocks whose sizes differ by at most one,
// the longer ones first. Compilers inline the same division, so equal loops are divided equally.
inline Chunk static_block(uint64_t count, int members, int member) {
  const auto n = static_cast<uint64_t>(members);
  const auto i = static_cast<uint64_t>(member);
  const uint64_t size = count / n;
  const uint64_t longer = count % n;  // members that get one more
  return {i * size + std::min(i, longer), size + (i < longer ? 1 : 0)};
}

// The member whose block holds the iteration; iteration < count.
inline int static_block_owner(uint64_t count, int members, uint64_t iteration) {
  const auto n = static_cast<uint64_t>(members);
  const uint64_t size = count / n;
  const uint64_t longer = count % n;
  const uint64_t in_longer = longer * (size + 1);  // iterations of those that get one more
  if (iteration < in_longer) return static_cast<int>(iteration / (size + 1));
  return static_cast<int>(longer + (iteration - in_longer) / size);
}

// The smallest multiple of `of` that is at least `size`, or the largest number; of >= 1.
inline uint64_t multiple_from(uint64_t size, uint64_t of) {
  uint64_t multiple;
  if (size == 0) return 0;
  return __builtin_mul_overflow(steps(size, of), of, &multiple) ? UINT64_MAX : multiple;
}

// The chunk that begins at iteration `next` under schedule(dynamic, size). size >= 1.
inline Chunk dynamic_chunk(uint64_t count, uint64_t size, uint64_t next) {
  if (next >= count) return {};
  return {next, std::min(size, count - next)};
}

// The same under schedule(guided, size): a share of what remains, at least `size`; `whole`: a
// multiple of it. size >= 1.
inline Chunk guided_chunk(uint64_t count, uint64_t size, int members, uint64_t next,
                          bool whole = false) {
  if (next >= count) return {};
  const uint64_t remaining = count - next;
  const uint64_t share = steps(remaining, static_cast<uint64_t>(members));
  const uint64_t wanted = whole ? multiple_from(share, size) : std::max(share, size);
  return {next, std::min(wanted, remaining)};
}

// A place among the chunks of schedule(guided), which have numbers from 0: it is a chunk's first
// iteration.
struct GuidedPlace {
  uint64_t number = 0;
  uint64_t first = 0;
};

// The chunk of that number under schedule(guided, size), at or behind the place, which goes on to
// the chunk behind; none when the loop has no more. Whoever takes chunks by their numbers alone has
// none in common with others but a counter, which nobody takes in vain.
inline Chunk guided_chunk_at(uint64_t count, uint64_t size, int members, bool whole,
                             GuidedPlace& place, uint64_t number) {
  for (;;) {
    const Chunk chunk = guided_chunk(count, size, members, place.first, whole);
    if (!any(chunk)) return {};
    place.first += chunk.count;
    if (place.number++ == number) return chunk;
  }
}

// The member's chunk number `trip` (from 0) under schedule(static, size); none when it has no more.
// size >= 1.
inline Chunk static_chunk(uint64_t count, uint64_t size, int members, int member, uint64_t trip) {
  uint64_t number;  // of the chunk in the loop
  uint64_t first;
  if (__builtin_mul_overflow(trip, static_cast<uint64_t>(members), &number) ||
      __builtin_add_overflow(number, static_cast<uint64_t>(member), &number) ||
      __builtin_mul_overflow(number, size, &first))
    return {};
  return dynamic_chunk(count, size, first);
}

// True if a counter below `count` does not wrap around when `members` each add `size` once.
inline bool fits_fetch_add(uint64_t count, uint64_t size, int members) {
  uint64_t excess;
  uint64_t highest;
  return !__builtin_mul_overflow(size, static_cast<uint64_t>(members), &excess) &&
         !__builtin_add_overflow(excess, count, &highest);
}

}  // namespace xylem::omp
