// Owns: what an allocator of the program is: its traits, and how much of its pool is used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "omp/alloc/allocators.hpp"

namespace xylem::omp {

inline constexpr std::size_t least_block_alignment = alignof(std::max_align_t);

// Values of traits, as omp_alloctrait_value_t.
namespace trait_value {
constexpr std::uintptr_t use_default = ~std::uintptr_t{0}, no = 0, yes = 1, contended = 3,
                         private_hint = 6, all = 7, cgroup = 10, default_mem_fb = 11, null_fb = 12,
                         abort_fb = 13, allocator_fb = 14, environment = 15, nearest = 16,
                         blocked = 17, interleaved = 18;
}

struct Allocator {
  std::size_t alignment = least_block_alignment;
  std::size_t pool_size = std::numeric_limits<std::size_t>::max();
  std::uintptr_t fallback = trait_value::default_mem_fb;
  AllocatorHandle fallback_allocator = 0;
  std::uintptr_t partition = trait_value::use_default;  // the process's malloc
  bool pinned = false;
  // Bytes of live blocks; written by everyone who allocates or frees. Relaxed throughout: a count,
  // which publishes nothing.
  std::atomic<std::size_t> used{0};

  // False, and nothing is charged, if the pool has no room for them.
  bool charge(std::size_t bytes);
  void discharge(std::size_t bytes) { used.fetch_sub(bytes, std::memory_order_relaxed); }
};

// Null for a predefined allocator.
Allocator* custom(AllocatorHandle handle);

inline bool is_power_of_two(std::uintptr_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace xylem::omp
