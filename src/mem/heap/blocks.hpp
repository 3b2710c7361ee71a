// Owns: blocks of memory as programs ask for them (xylem/memory.h): small ones from heaps, others
// with pages of their own, of which is kept how they were placed, so that a resized block stays on
// its nodes.
#pragma once

#include <cstddef>

#include "base/lock_order.hpp"
#include "mem/map/memory.hpp"

namespace xylem::mem {

inline constexpr base::LockRank records_rank{72, "records_lock"};

enum class Contents : bool { any, zeros };

// Placement::process means default_placement(). Null without memory. Any size; 0 counts as 1.
void* allocate_block(std::size_t bytes, const How& how, Contents contents);
// Null on failure, and the block is as it was; a block that is none: -EINVAL in `error`.
void* resize_block(void* block, std::size_t bytes, int& error);
// False if the address is no block's.
bool free_block(void* block);

// Bytes in live blocks, and in those that are on the node: as asked for in heaps, whole pages else.
int64_t block_bytes();
int64_t block_bytes(int node);

// Around fork(), by mem/fork_lines.hpp.
void lock_records();
void unlock_records(bool in_child);

}  // namespace xylem::mem
