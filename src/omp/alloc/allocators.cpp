// Allocators: pools, fallbacks and reallocation, whatever the blocks are made of.
#include "omp/alloc/allocators.hpp"

#include <algorithm>
#include <cstring>

#include "base/report.hpp"
#include "omp/alloc/allocator_blocks.hpp"
#include "omp/alloc/allocator_traits.hpp"

namespace xylem::omp {
namespace {

constexpr AllocatorHandle default_memory = 1;
constexpr int longest_fallback_chain = 16;

// One try, without fallbacks.
void* allocate_from(AllocatorHandle handle, const AllocationRequest& request,
                    std::size_t alignment) {
  Allocator* allocator = custom(handle);
  if (allocator == nullptr) return get_block(handle, request, alignment);
  if (!allocator->charge(request.size)) return nullptr;
  void* block = get_block(handle, request, alignment);
  if (block == nullptr) allocator->discharge(request.size);
  return block;
}

// A block in place of one of the same pool, which is charged with what is added only. Null, and
// nothing changed, when it does not fit or memory is used up. The old block stays the caller's to
// free, without its charge.
void* replace_in_pool(void* block, const AllocationRequest& request, std::size_t alignment) {
  AllocatorHandle handle = header_of(block).allocator;
  Allocator& allocator = *custom(handle);
  std::size_t old_size = header_of(block).size;
  std::size_t added = request.size > old_size ? request.size - old_size : 0;
  if (!allocator.charge(added)) return nullptr;
  void* moved = get_block(handle, request, alignment);
  allocator.discharge(moved == nullptr ? added : old_size + added - request.size);
  return moved;
}

}  // namespace

void* allocate(const AllocationRequest& request, AllocatorHandle default_allocator) {
  if (request.size == 0) return nullptr;
  if (request.alignment != 0 && !is_power_of_two(request.alignment)) return nullptr;
  AllocatorHandle handle = request.allocator != 0 ? request.allocator : default_allocator;
  std::size_t alignment = std::max(request.alignment, least_block_alignment);
  for (int tries = 0; tries < longest_fallback_chain; ++tries) {
    Allocator* allocator = custom(handle);
    if (allocator != nullptr) alignment = std::max(alignment, allocator->alignment);
    if (void* block = allocate_from(handle, request, alignment)) return block;
    if (allocator == nullptr) return nullptr;  // ordinary memory is used up
    if (allocator->fallback == trait_value::null_fb) return nullptr;
    if (allocator->fallback == trait_value::abort_fb)
      base::fatal("an OpenMP allocator cannot give %zu bytes", request.size);
    bool other =
        allocator->fallback == trait_value::allocator_fb && allocator->fallback_allocator != 0;
    handle = other ? allocator->fallback_allocator : default_memory;
  }
  return nullptr;
}

void deallocate(void* block) {
  if (block == nullptr) return;
  const BlockHeader& header = header_of(block);
  if (Allocator* allocator = custom(header.allocator)) allocator->discharge(header.size);
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
