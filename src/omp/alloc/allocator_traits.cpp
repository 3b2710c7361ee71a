// Owns: making allocators of their traits. The memory spaces of a host without special memory are
// all its ordinary memory; high-bandwidth memory is refused, so that programs see that there is
// none.
#include "omp/alloc/allocator_traits.hpp"

#include <algorithm>
#include <new>

namespace xylem::omp {

namespace {

namespace key {
constexpr int sync_hint = 1, alignment = 2, access = 3, pool_size = 4, fallback = 5, fb_data = 6,
              pinned = 7, partition = 8;
}
namespace space {
constexpr std::uintptr_t high_bandwidth = 3, low_latency = 4;
}

// OpenMP predefines 8. LLVM reserves more (100 to 102: memory of devices); here they are ordinary
// memory. No allocator of the program lies so low.
constexpr AllocatorHandle last_predefined = 1024;

bool is_between(std::uintptr_t v, std::uintptr_t low, std::uintptr_t high) {
  return v >= low && v <= high;
}

// False for a value that the trait cannot have. Hints that need nothing here are only checked.
bool apply_trait(const AllocatorTrait& trait, Allocator& allocator) {
  const std::uintptr_t v = trait.value;
  const bool is_default = v == trait_value::use_default;
  switch (trait.key) {
    case key::sync_hint:
      return is_default || is_between(v, trait_value::contended, trait_value::private_hint);
    case key::alignment:
      if (is_default) return true;
      allocator.alignment = std::max<std::size_t>(v, least_block_alignment);
      return is_power_of_two(v);
    case key::access:
      return is_default || is_between(v, trait_value::all, trait_value::cgroup);
    case key::pool_size:
      allocator.pool_size = v;  // the default is the largest number there is
      return true;
    case key::fallback:
      allocator.fallback = is_default ? trait_value::default_mem_fb : v;
      return is_default || is_between(v, trait_value::default_mem_fb, trait_value::allocator_fb);
    case key::fb_data:
      allocator.fallback_allocator = is_default ? 0 : v;
      return true;
    case key::pinned:
      allocator.pinned = v == trait_value::yes;
      return is_default || v == trait_value::no || v == trait_value::yes;
    case key::partition:
      allocator.partition = v;
      return is_default || is_between(v, trait_value::environment, trait_value::interleaved);
    default:
      return false;
  }
}

}  // namespace

bool Allocator::charge(std::size_t bytes) {
  std::size_t before = used.load(std::memory_order_relaxed);
  do {
    if (bytes > pool_size || before > pool_size - bytes) return false;
  } while (!used.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  return true;
}

Allocator* custom(AllocatorHandle handle) {
  return handle > last_predefined ? reinterpret_cast<Allocator*>(handle) : nullptr;
}

AllocatorHandle make_allocator(std::uintptr_t memory_space, int count,
                               const AllocatorTrait* traits) {
  if (memory_space > space::low_latency || memory_space == space::high_bandwidth) return 0;
  Allocator* allocator = new (std::nothrow) Allocator;
  if (allocator == nullptr) return 0;
  for (int i = 0; i < count; ++i) {
    if (apply_trait(traits[i], *allocator)) continue;
    delete allocator;
    return 0;
  }
  return reinterpret_cast<AllocatorHandle>(allocator);
}

void destroy_allocator(AllocatorHandle allocator) { delete custom(allocator); }

}  // namespace xylem::omp
