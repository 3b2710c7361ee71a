// Owns: blocks of memory with a header in front: from the process's malloc, or placed on nodes
// (mem/heap/blocks.hpp) where an allocator's partition trait wants that.
#pragma once

#include "omp/alloc/allocator_traits.hpp"

namespace xylem::omp {

// Lies right in front of the user's bytes.
struct BlockHeader {
  void* memory;               // what malloc or mem::allocate_block gave
  std::size_t size;           // as the user asked
  AllocatorHandle allocator;  // whose pool is charged; a predefined one has none
  std::size_t is_placed : 1;  // of mem::allocate_block
  std::size_t pinned_bytes : 8 * sizeof(std::size_t) - 1;  // pages from the user's address on;
                                                           // 0: not pinned
};
static_assert(sizeof(BlockHeader) % least_block_alignment == 0);

inline BlockHeader& header_of(void* block) { return static_cast<BlockHeader*>(block)[-1]; }

// A block of the allocator's traits, its address a multiple of `alignment`; its header names the
// handle, and nothing is charged. Null without memory, or where pages cannot be pinned.
void* get_block(AllocatorHandle handle, const AllocationRequest& request, std::size_t alignment);

// Gives the memory back; the pool is the caller's matter.
void free_block(void* block);

}  // namespace xylem::omp
