// OpenMP memory allocators: traits, pools and fallbacks, over the process's malloc, and where a
// partition trait places memory over pages and heaps on nodes (docs/memory.md).
//
// Invariant: every block carries a header in front of it that names its allocator and its memory,
// so freeing needs no handle. An allocator's `used` is the sum of the sizes of its live blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/env/icv.hpp"

namespace xylem::omp {

// As omp_alloctrait_t: keys 1 to 8, values as in omp_alloctrait_value_t.
struct AllocatorTrait {
  std::int32_t key;
  std::uintptr_t value;
};

// 0 when a trait or the memory space cannot be honoured.
AllocatorHandle make_allocator(std::uintptr_t memory_space, int count,
                               const AllocatorTrait* traits);
void destroy_allocator(AllocatorHandle allocator);

// `alignment` 0: none wanted, else a power of two. An `allocator` of 0 means `default_allocator`.
// Null when size is 0 or the allocator and its fallbacks have no memory.
struct AllocationRequest {
  std::size_t size = 0;
  std::size_t alignment = 0;
  AllocatorHandle allocator = 0;
  bool zeroed = false;
};
void* allocate(const AllocationRequest& request, AllocatorHandle default_allocator);

// Null is ignored. The block must come from allocate().
void deallocate(void* block);

// Moves the block's contents to a new block of `request.size` bytes; allocator 0 keeps the block's.
// On failure the old block stays and null is returned.
void* reallocate(void* block, AllocationRequest request, AllocatorHandle default_allocator);

}  // namespace xylem::omp
