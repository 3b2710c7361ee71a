// Owns: getting blocks as traits say. See allocator_blocks.hpp.
#include "omp/alloc/allocator_blocks.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#include "mem/heap/blocks.hpp"
#include "mem/map/nodes.hpp"
#include "omp/team/runtime.hpp"
#include "os/memory.hpp"
#include "os/pinning.hpp"

namespace xylem::omp {

namespace {

constexpr std::size_t largest_block = std::numeric_limits<std::ptrdiff_t>::max();

// Where the memory of a block comes from.
struct Source {
  mem::How how;
  mem::NodeList parts;  // what how.part_nodes refers to
  bool is_placed = false;
};

// `environment`: as XYLEM_MEMORY_POLICY says, else as the process does. `blocked`: one part a node,
// in the order of the nodes.
void read_partition(std::uintptr_t partition, Source& source) {
  if (partition == trait_value::use_default) return;
  start_runtime();
  source.is_placed = true;
  switch (partition) {
    case trait_value::environment:
      source.how = mem::default_placement();
      source.is_placed = source.how.placement != mem::Placement::process;
      return;
    case trait_value::nearest:
      source.how.placement = mem::Placement::node;
      source.how.node = std::max(mem::current_node(), 0);
      return;
    case trait_value::blocked:
      source.how.placement = mem::Placement::spread;
      source.parts = mem::usable_nodes();
      source.how.part_nodes = source.parts;
      return;
    default:
      source.how.placement = mem::Placement::interleaved;
  }
}

void* get_memory(const Source& source, std::size_t bytes, bool zeroed) {
  if (!source.is_placed) return zeroed ? std::calloc(1, bytes) : std::malloc(bytes);
  const auto contents = zeroed ? mem::Contents::zeros : mem::Contents::any;
  return mem::allocate_block(bytes, source.how, contents);
}

void give_memory_back(void* memory, bool is_placed) {
  if (is_placed) {
    mem::free_block(memory);
  } else {
    std::free(memory);
  }
}

// `room` bytes from a multiple of `alignment` on, with the header in front.
void* get_from(const Source& source, const AllocationRequest& request, std::size_t alignment,
               std::size_t room) {
  const std::size_t overhead = sizeof(BlockHeader) + alignment - 1;
  std::size_t whole = 0;
  if (__builtin_add_overflow(room, overhead, &whole) || whole > largest_block) return nullptr;
  void* memory = get_memory(source, whole, request.zeroed);
  if (memory == nullptr) return nullptr;
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(memory) + overhead;
  void* block = reinterpret_cast<void*>(address & ~(alignment - 1));
  new (&header_of(block)) BlockHeader{memory, request.size, 0, source.is_placed, 0};
  return block;
}

// Whole pages of its own, so that unpinning one block never unpins another.
void* get_pinned(const Source& source, const AllocationRequest& request, std::size_t alignment) {
  const std::size_t page = os::page_size();
  std::size_t rounded = 0;
  if (__builtin_add_overflow(request.size, page - 1, &rounded)) return nullptr;
  rounded &= ~(page - 1);
  void* block = get_from(source, request, std::max(alignment, page), rounded);
  if (block == nullptr) return nullptr;
  if (os::pin_pages(block, rounded) != 0) {
    free_block(block);
    return nullptr;
  }
  header_of(block).pinned_bytes = rounded;
  return block;
}

}  // namespace

void* get_block(AllocatorHandle handle, const AllocationRequest& request, std::size_t alignment) {
  const Allocator* allocator = custom(handle);
  Source source;
  if (allocator != nullptr) read_partition(allocator->partition, source);
  const bool pinned = allocator != nullptr && allocator->pinned;
  void* block = pinned ? get_pinned(source, request, alignment)
                       : get_from(source, request, alignment, request.size);
  if (block != nullptr) header_of(block).allocator = handle;
  return block;
}

void free_block(void* block) {
  const BlockHeader header = header_of(block);
  if (header.pinned_bytes != 0) os::unpin_pages(block, header.pinned_bytes);
  give_memory_back(header.memory, header.is_placed);
}

}  // namespace xylem::omp
