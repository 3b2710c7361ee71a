// Owns: the arithmetic of dynamic loops whose threads begin with the iterations that they own
// (loop_owners.hpp), and take those of others when they have none left: which chunks are whose, and
// which iterations a chunk has (paper 001, section 3.2). The chunks of an owner have numbers that
// follow each other, in the loop's order, so that they are a range (loop_ranges.hpp).
//
// Everything here is a pure function.
#pragma once

#include <cstdint>

#include "omp/loops/loop_owners.hpp"

namespace xylem::omp {

// A run of a dynamic loop: count >= 1; owners >= 1.
struct HomedLoop {
  LoopOwners owners;
  uint64_t count = 0;  // iterations
  bool down = false;   // see IndexRange
  uint64_t chunk = 1;  // blocks: iterations of the program's chunks; in turn they are the owners'
  int members = 1;     // that own iterations
};

// --- blocks: chunks have the numbers of the program's, which belong to the owner of their first
// iteration

inline uint64_t chunks_before(uint64_t iterations, uint64_t chunk) {
  return iterations == 0 ? 0 : steps(iterations, chunk);
}

// The number of the loop's last chunk, which is nobody's (LoopRanges).
inline uint64_t last_in_blocks(const HomedLoop& loop) { return steps(loop.count, loop.chunk) - 1; }

inline Chunk homed_in_block(const HomedLoop& loop, int member) {
  Chunk block = block_of(loop.owners, loop.count, loop.members, member);
  if (loop.down) block.first = loop.count - block.first - block.count;
  const uint64_t first = chunks_before(block.first, loop.chunk);
  const uint64_t end =
      std::min(chunks_before(block.first + block.count, loop.chunk), last_in_blocks(loop));
  return first < end ? Chunk{first, end - first} : Chunk{};
}

// --- in turn: with n members, a member has every n-th chunk of the loop

struct AbsoluteChunks {
  uint64_t first = 0, last = 0;
  uint64_t count() const { return last - first + 1; }
};

inline AbsoluteChunks absolute_chunks(const HomedLoop& loop) {
  const LoopOwners& owners = loop.owners;
  return {owners.offset / owners.chunk, (owners.offset + loop.count - 1) / owners.chunk};
}

// As last_in_blocks().
inline uint64_t last_in_turn(const HomedLoop& loop) { return absolute_chunks(loop).count(); }

inline Chunk homed_in_turn(const HomedLoop& loop, int member) {
  const AbsoluteChunks all = absolute_chunks(loop);
  const auto n = static_cast<uint64_t>(loop.members);
  // Of its first chunk, in the loop's order.
  const uint64_t place = loop.down ? (all.last % n + n - static_cast<uint64_t>(member)) % n
                                   : first_turn(loop.owners, loop.members, member) - all.first;
  Chunk numbers = static_block(all.count(), loop.members, static_cast<int>(place));
  if (place == (all.count() - 1) % n) --numbers.count;
  return numbers;
}

// The iterations of a chunk.
inline Chunk chunk_in_turn(const HomedLoop& loop, uint64_t number) {
  const AbsoluteChunks all = absolute_chunks(loop);
  const LoopOwners& owners = loop.owners;
  uint64_t place = all.count() - 1;  // in the loop's order
  if (number < all.count()) {
    const int first = static_block_owner(all.count(), loop.members, number);
    const uint64_t turn = number - static_block(all.count(), loop.members, first).first;
    place = static_cast<uint64_t>(first) + turn * static_cast<uint64_t>(loop.members);
  }
  const uint64_t absolute = loop.down ? all.last - place : all.first + place;
  const Chunk part =
      part_in_loop(owners, loop.count, absolute * owners.chunk, (absolute + 1) * owners.chunk);
  return loop.down ? Chunk{loop.count - part.first - part.count, part.count} : part;
}

}  // namespace xylem::omp
