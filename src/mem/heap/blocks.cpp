// Owns: blocks, and how those with pages of their own were placed. See blocks.hpp.
#include "mem/heap/blocks.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/annotations.hpp"
#include "base/spin_lock.hpp"
#include "mem/heap/heap.hpp"

namespace xylem::mem {

namespace {

// How a block with pages of its own was asked for. Those without a record: as the process does.
struct Record {
  Record* next = nullptr;
  const void* block = nullptr;
  How how;
  NodeList parts;  // what how.part_nodes refers to
};

constexpr std::size_t bucket_count = 1024;

constinit base::SpinLock records_lock{records_rank};
constinit std::array<Record*, bucket_count> records XYLEM_GUARDED_BY(records_lock){};

Record*& bucket_of(const void* block) XYLEM_REQUIRES(records_lock) {
  const auto page = reinterpret_cast<std::uintptr_t>(block) >> 12;
  return records[page * 0x9e3779b97f4a7c15u >> 54];
}
static_assert(bucket_count == 1 << (64 - 54));

void keep(Record* record) {
  base::Locked locked(records_lock);
  Record*& first = bucket_of(record->block);
  record->next = first;
  first = record;
}

// Takes the block's record out; null if it has none.
std::unique_ptr<Record> take(const void* block) {
  base::Locked locked(records_lock);
  for (Record** link = &bucket_of(block); *link != nullptr; link = &(*link)->next)
    if ((*link)->block == block)
      return std::unique_ptr<Record>(std::exchange(*link, (*link)->next));
  return nullptr;
}

bool goes_into_heap(std::size_t bytes, const How& how) {
  const bool shares_pages = how.placement == Placement::node || how.placement == Placement::process;
  return shares_pages && !how.huge && !how.strict && bytes < large_block_bytes;
}

// Keeps the placement of a block that has pages of its own, for another size; false without memory.
bool remember(void* block, const How& how) {
  if (how.placement == Placement::process && !how.huge && how.alignment == 0) return true;
  auto* record = new (std::nothrow) Record;
  if (!record) return false;
  record->how = how;
  record->parts.assign(how.part_nodes.begin(), how.part_nodes.end());
  record->how.part_nodes = record->parts;
  record->block = block;
  keep(record);
  return true;
}

// With pages of its own, which are zeros.
void* allocate_pages(std::size_t bytes, const How& how) {
  void* block = map_placed(std::max<std::size_t>(bytes, 1), how);
  if (block == nullptr || remember(block, how)) return block;
  release_pages(block);
  return nullptr;
}

How settled(const How& asked) {
  if (asked.placement != Placement::process) return asked;
  How how = default_placement();
  how.huge = asked.huge;
  how.alignment = asked.alignment;
  how.strict = asked.strict;
  return how;
}

void* allocate_settled(std::size_t bytes, const How& how, Contents contents) {
  if (!goes_into_heap(bytes, how)) return allocate_pages(bytes, how);
  const int node = how.placement == Placement::node ? how.node : process_heap;
  void* block = heap_allocate(node, bytes, how.alignment, false);
  HeapBlock found;
  if (block != nullptr && !find_heap_block(block, found) && !remember(block, how)) {
    release_pages(block);  // there is no heap, and no memory
    return nullptr;
  }
  if (block != nullptr && contents == Contents::zeros) std::memset(block, 0, bytes);
  return block;
}

How how_of(const HeapBlock& block) {
  How how;
  how.placement = block.node == process_heap ? Placement::process : Placement::node;
  how.node = block.node;
  how.alignment = block.alignment;
  return how;
}

void* copy_to_new(void* block, std::size_t kept, std::size_t bytes, const How& how) {
  void* other = allocate_settled(bytes, how, Contents::any);
  if (other == nullptr) return nullptr;
  std::memcpy(other, block, std::min(kept, bytes));
  free_block(block);
  return other;
}

void* resize_pages(void* block, std::size_t kept, std::size_t bytes) {
  if (bytes <= kept && bytes > kept / 2) return block;
  std::unique_ptr<Record> record = take(block);
  void* other = copy_to_new(block, kept, bytes, record ? record->how : How{});
  if (other == nullptr && record) keep(record.release());
  return other;
}

}  // namespace

void* allocate_block(std::size_t bytes, const How& how, Contents contents) {
  return allocate_settled(bytes, settled(how), contents);
}

void* resize_block(void* block, std::size_t bytes, int& error) {
  error = -ENOMEM;
  HeapBlock found;
  if (find_heap_block(block, found)) {
    if (bytes < large_block_bytes) return heap_resize(block, bytes, 0);
    return copy_to_new(block, found.bytes, bytes, how_of(found));
  }
  if (const std::size_t pages = heap_block_bytes(block)) return resize_pages(block, pages, bytes);
  error = -EINVAL;
  return nullptr;
}

bool free_block(void* block) {
  take(block);
  return heap_free(block);
}

int64_t block_bytes(int node) {
  return heap_bytes(node) + placed_bytes(node) - heap_chunk_bytes(node);
}

int64_t block_bytes() {
  int64_t sum = statistics().mapped_bytes;
  for (int node = process_heap; node < node_count(); ++node)
    sum += heap_bytes(node) - heap_chunk_bytes(node);
  return sum;
}

void lock_records() XYLEM_NO_THREAD_ANALYSIS { records_lock.lock(); }
void unlock_records(bool /*in_child*/) XYLEM_NO_THREAD_ANALYSIS { records_lock.unlock(); }

}  // namespace xylem::mem
