// Allocators. The memory spaces of a host without special memory are all its ordinary memory;
// high-bandwidth memory is refused, so that programs see that there is none.
#include "omp/allocators.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "base/report.hpp"
#include "os/memory.hpp"
#include "os/pinning.hpp"

namespace xylem::omp {
namespace {

namespace key {
constexpr int sync_hint = 1, alignment = 2, access = 3, pool_size = 4, fallback = 5, fb_data = 6,
              pinned = 7, partition = 8;
}
namespace value {
constexpr std::uintptr_t use_default = ~std::uintptr_t{0}, no = 0, yes = 1, contended = 3,
                         private_hint = 6, all = 7, cgroup = 10, default_mem_fb = 11, null_fb = 12,
                         abort_fb = 13, allocator_fb = 14, environment = 15, interleaved = 18;
}
namespace space {
constexpr std::uintptr_t high_bandwidth = 3, low_latency = 4;
}

constexpr AllocatorHandle last_predefined = 8;
constexpr AllocatorHandle default_memory = 1;
constexpr std::size_t least_alignment = alignof(std::max_align_t);
constexpr std::size_t largest_block = std::numeric_limits<std::ptrdiff_t>::max();
constexpr int longest_fallback_chain = 16;

struct Allocator {
  std::size_t alignment = least_alignment;
  std::size_t pool_size = std::numeric_limits<std::size_t>::max();
  std::uintptr_t fallback = value::default_mem_fb;
  AllocatorHandle fallback_allocator = 0;
  bool pinned = false;
  // Bytes of live blocks; written by everyone who allocates or frees. Relaxed throughout: a count,
  // which publishes nothing.
  std::atomic<std::size_t> used{0};
};

// Lies right in front of the user's bytes.
struct BlockHeader {
  void* memory;               // what malloc gave
  std::size_t size;           // as the user asked
  AllocatorHandle allocator;  // whose pool is charged; a predefined one has none
  std::size_t pinned_bytes;   // pages from the user's address on; 0: not pinned
};
static_assert(sizeof(BlockHeader) % least_alignment == 0);

Allocator* custom(AllocatorHandle handle) {
  return handle > last_predefined ? reinterpret_cast<Allocator*>(handle) : nullptr;
}

BlockHeader& header_of(void* block) { return static_cast<BlockHeader*>(block)[-1]; }

bool is_between(std::uintptr_t v, std::uintptr_t low, std::uintptr_t high) {
  return v >= low && v <= high;
}

bool is_power_of_two(std::uintptr_t v) { return v != 0 && (v & (v - 1)) == 0; }

// False for a value that the trait cannot have. Hints that need nothing here are only checked.
bool apply_trait(const AllocatorTrait& trait, Allocator& allocator) {
  std::uintptr_t v = trait.value;
  bool is_default = v == value::use_default;
  switch (trait.key) {
    case key::sync_hint:
      return is_default || is_between(v, value::contended, value::private_hint);
    case key::alignment:
      if (is_default) return true;
      allocator.alignment = std::max<std::size_t>(v, least_alignment);
      return is_power_of_two(v);
    case key::access:
      return is_default || is_between(v, value::all, value::cgroup);
    case key::pool_size:
      allocator.pool_size = v;  // the default is the largest number there is
      return true;
    case key::fallback:
      allocator.fallback = is_default ? value::default_mem_fb : v;
      return is_default || is_between(v, value::default_mem_fb, value::allocator_fb);
    case key::fb_data:
      allocator.fallback_allocator = is_default ? 0 : v;
      return true;
    case key::pinned:
      allocator.pinned = v == value::yes;
      return is_default || v == value::no || v == value::yes;
    case key::partition:
      return is_default || is_between(v, value::environment, value::interleaved);
    default:
      return false;
  }
}

bool charge(Allocator& allocator, std::size_t size) {
  std::size_t used = allocator.used.load(std::memory_order_relaxed);
  do {
    if (size > allocator.pool_size || used > allocator.pool_size - size) return false;
  } while (!allocator.used.compare_exchange_weak(used, used + size, std::memory_order_relaxed));
  return true;
}

void discharge(Allocator& allocator, std::size_t size) {
  allocator.used.fetch_sub(size, std::memory_order_relaxed);
}

// A block with its header, its user address a multiple of `alignment`.
void* get_block(const AllocationRequest& request, std::size_t alignment, std::size_t rounded) {
  std::size_t overhead = sizeof(BlockHeader) + alignment - 1;
  std::size_t whole = 0;
  if (__builtin_add_overflow(rounded, overhead, &whole) || whole > largest_block) return nullptr;
  void* memory = request.zeroed ? std::calloc(1, whole) : std::malloc(whole);
  if (memory == nullptr) return nullptr;
  std::uintptr_t address = reinterpret_cast<std::uintptr_t>(memory) + overhead;
  void* block = reinterpret_cast<void*>(address & ~(alignment - 1));
  new (&header_of(block)) BlockHeader{memory, request.size, default_memory, 0};
  return block;
}

// Whole pages of its own, so that unpinning one block never unpins another.
void* get_pinned_block(const AllocationRequest& request, std::size_t alignment) {
  std::size_t page = os::page_size(), rounded = 0;
  if (__builtin_add_overflow(request.size, page - 1, &rounded)) return nullptr;
  rounded &= ~(page - 1);
  void* block = get_block(request, std::max(alignment, page), rounded);
  if (block == nullptr) return nullptr;
  if (os::pin_pages(block, rounded) != 0) {
    std::free(header_of(block).memory);
    return nullptr;
  }
  header_of(block).pinned_bytes = rounded;
  return block;
}

// A block of an allocator whose pool has been charged already.
void* get_charged_block(AllocatorHandle handle, const AllocationRequest& request,
                        std::size_t alignment) {
  void* block = custom(handle)->pinned ? get_pinned_block(request, alignment)
                                       : get_block(request, alignment, request.size);
  if (block != nullptr) header_of(block).allocator = handle;
  return block;
}

// One try, without fallbacks.
void* allocate_from(AllocatorHandle handle, const AllocationRequest& request,
                    std::size_t alignment) {
  Allocator* allocator = custom(handle);
  if (allocator == nullptr) return get_block(request, alignment, request.size);
  if (!charge(*allocator, request.size)) return nullptr;
  void* block = get_charged_block(handle, request, alignment);
  if (block == nullptr) discharge(*allocator, request.size);
  return block;
}

// Gives the memory back; the pool is the caller's matter.
void free_block(void* block) {
  BlockHeader header = header_of(block);
  if (header.pinned_bytes != 0) os::unpin_pages(block, header.pinned_bytes);
  std::free(header.memory);
}

// A block in place of one of the same pool, which is charged with what is added only. Null, and
// nothing changed, when it does not fit or memory is used up. The old block stays the caller's to
// free, without its charge.
void* replace_in_pool(void* block, const AllocationRequest& request, std::size_t alignment) {
  AllocatorHandle handle = header_of(block).allocator;
  Allocator& allocator = *custom(handle);
  std::size_t old_size = header_of(block).size;
  std::size_t added = request.size > old_size ? request.size - old_size : 0;
  if (!charge(allocator, added)) return nullptr;
  void* moved = get_charged_block(handle, request, alignment);
  discharge(allocator, moved == nullptr ? added : old_size + added - request.size);
  return moved;
}

}  // namespace

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

void* allocate(const AllocationRequest& request, AllocatorHandle default_allocator) {
  if (request.size == 0) return nullptr;
  if (request.alignment != 0 && !is_power_of_two(request.alignment)) return nullptr;
  AllocatorHandle handle = request.allocator != 0 ? request.allocator : default_allocator;
  std::size_t alignment = std::max(request.alignment, least_alignment);
  for (int tries = 0; tries < longest_fallback_chain; ++tries) {
    Allocator* allocator = custom(handle);
    if (allocator != nullptr) alignment = std::max(alignment, allocator->alignment);
    if (void* block = allocate_from(handle, request, alignment)) return block;
    if (allocator == nullptr) return nullptr;  // ordinary memory is used up
    if (allocator->fallback == value::null_fb) return nullptr;
    if (allocator->fallback == value::abort_fb)
      base::fatal("an OpenMP allocator cannot give %zu bytes", request.size);
    bool other = allocator->fallback == value::allocator_fb && allocator->fallback_allocator != 0;
    handle = other ? allocator->fallback_allocator : default_memory;
  }
  return nullptr;
}

void deallocate(void* block) {
  if (block == nullptr) return;
  const BlockHeader& header = header_of(block);
  if (Allocator* allocator = custom(header.allocator)) discharge(*allocator, header.size);
  free_block(block);
}

void* reallocate(void* block, AllocationRequest request, AllocatorHandle default_allocator) {
  if (block == nullptr) return allocate(request, default_allocator);
  if (request.size == 0) {
    deallocate(block);
    return nullptr;
  }
  if (request.allocator == 0) request.allocator = header_of(block).allocator;
  std::size_t kept = std::min(request.size, header_of(block).size);
  if (Allocator* same = custom(request.allocator);
      same != nullptr && request.allocator == header_of(block).allocator) {
    if (void* moved = replace_in_pool(block, request, same->alignment)) {
      std::memcpy(moved, block, kept);
      free_block(block);
      return moved;
    }
  }
  void* moved = allocate(request, default_allocator);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, kept);
  deallocate(block);
  return moved;
}

}  // namespace xylem::omp
