// Owns: the arithmetic of worksharing loops: how iterations are counted and cut into chunks.
//
// Everything here is a pure function of its arguments. Iterations are numbered 0 .. count-1
// whatever the loop variable's type and direction, so one code serves `long` and `unsigned long
// long`. The loop variable is kept as its 64 bits, and converting back is arithmetic modulo 2^64.
#pragma once

#include <cstdint>

namespace xylem::omp {

// A loop's iterations: iteration i has the value first + i * step (mod 2^64).
struct IterationSpace {
  uint64_t first = 0;
  uint64_t step = 1;
  uint64_t end = 0;    // the bound as the program gave it; the last chunk ends there
  uint64_t count = 0;  // iterations; at most 2^64 - 1
};

// for (i = start; i < end; i += step), or > end when step < 0. step != 0.
IterationSpace signed_space(long start, long end, long step);
// The same for unsigned long long; `up` says whether step counts up (it is negated otherwise).
IterationSpace unsigned_space(bool up, uint64_t start, uint64_t end, uint64_t step);

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
ChunkBounds chunk_bounds(const IterationSpace& space, const Chunk& chunk);

// The iterations of one member under schedule(static): blocks whose sizes differ by at most one,
// the longer ones first. Compilers inline the same division, so equal loops are divided equally.
Chunk static_block(uint64_t count, int members, int member);

// The member whose block holds the iteration; iteration < count.
int static_block_owner(uint64_t count, int members, uint64_t iteration);

// The member's chunk number `trip` (from 0) under schedule(static, size); none when it has no more.
// size >= 1.
Chunk static_chunk(uint64_t count, uint64_t size, int members, int member, uint64_t trip);

// The chunk that begins at iteration `next` under schedule(dynamic, size). size >= 1.
Chunk dynamic_chunk(uint64_t count, uint64_t size, uint64_t next);

// The same under schedule(guided, size): a share of what remains, at least `size`. size >= 1.
Chunk guided_chunk(uint64_t count, uint64_t size, int members, uint64_t next);

// True if a counter below `count` does not wrap around when `members` each add `size` once.
bool fits_fetch_add(uint64_t count, uint64_t size, int members);

}  // namespace xylem::omp
