// Owns: heaps on nodes for small blocks: pools of a well-kept allocator (oneTBB's scalable one,
// loaded when a heap is first used) over pages from memory.hpp.
//
// A block carries a header right in front of it, so that an address that is no block is recognised.
// Large blocks, those of unusual alignment, and all blocks where the library or a pool cannot be
// had are pages of map_placed(); a note says so once. Blocks may be freed from any thread. fork()
// waits until nobody is inside a heap, so that the child goes on with the heaps as they are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/lock_order.hpp"

namespace xylem::mem {

// Blocks of at least so many bytes have pages of their own.
inline constexpr std::size_t large_block_bytes = std::size_t{256} << 10;

// The heap whose pages are where the process's own policy puts them.
inline constexpr int process_heap = -1;

// `node` may be process_heap. Null when there is no memory on the node (nor on others, unless
// `strict`: then the block has pages of its own). `alignment` 0 or a power of two; at least 16 is
// given. Contents not defined.
void* heap_allocate(int node, std::size_t bytes, std::size_t alignment, bool strict);
// Same node, and at least the alignment that it has. Null on failure, or where the block is pages
// of its own (blocks.hpp resizes those), and the block is as it was.
void* heap_resize(void* block, std::size_t bytes, std::size_t alignment);
// Ends a block of a heap, or of map_placed(). False if the address is neither's.
bool heap_free(void* block);
// The node of the heap that gave the block, which must be alive; -1: none did, or process_heap.
int heap_node(const void* block);
// False if the address is no live block of a heap.
struct HeapBlock {
  int node = process_heap;
  std::size_t bytes = 0;
  std::size_t alignment = 0;
};
bool find_heap_block(const void* block, HeapBlock& found);
// Usable bytes of a live block of a heap or of map_placed(); 0 if it is neither's.
std::size_t heap_block_bytes(const void* block);
// Bytes in live blocks of the node's heap, or of process_heap, as they were asked for.
int64_t heap_bytes(int node);
// Bytes of map_placed() that are chunks of this heap; the blocks inside are what heap_bytes()
// counts.
int64_t heap_chunk_bytes(int node);

// Around fork(): nobody is inside a heap in between.
inline constexpr base::LockRank heap_gate_rank{70, "HeapGate"};
void lock_heaps();
void unlock_heaps(bool in_child);

}  // namespace xylem::mem
