// Owns: heaps and the headers of their blocks. See heap.hpp.
#include "mem/heap/heap.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>

#include "base/annotations.hpp"
#include "base/report.hpp"
#include "base/spin_lock.hpp"
#include "mem/heap/heap_chunks.hpp"
#include "mem/heap/heap_gate.hpp"
#include "mem/heap/pool_library.hpp"
#include "mem/map/caller.hpp"
#include "mem/map/memory.hpp"

namespace xylem::mem {

namespace {

constexpr std::size_t least_alignment = 16, most_alignment = 4096;

// A heap: one for each node that was asked for small blocks, and one of the process. It is never
// destroyed.
struct Heap {
  MemoryPool* pool = nullptr;
  // Bytes of live blocks, the sum over the stripes. Threads that allocate and free write it,
  // heap_bytes() reads it; relaxed: a count publishes nothing.
  struct alignas(64) Count {
    std::atomic<int64_t> bytes{0};
  };
  std::array<Count, HeapGate::stripes> counts{};
};

// Stands right in front of the bytes that the user gets.
struct BlockHeader {
  uint64_t mark;    // mark_of() while the block lives
  uint32_t bytes;   // as the user asked
  uint16_t offset;  // from the pool's block to the user's bytes: the alignment
  uint16_t heap;    // index of the heap in `heaps`
};
static_assert(sizeof(BlockHeader) == least_alignment);
static_assert(most_alignment <= UINT16_MAX && os::most_nodes + 1 < UINT16_MAX);

constinit HeapGate gate;
constinit base::SpinLock making_lock{{71, "making_lock"}};  // making heaps; taken inside the gate
// By node; the last is the process's heap; null: not made yet. Each is written once, under
// making_lock (release). All threads that allocate and free read it (acquire): they see the heap
// made.
constexpr int heap_count = os::most_nodes + 1;
constinit std::array<std::atomic<Heap*>, heap_count> heaps{};

// By heap: bytes of its chunks. get_chunks() and give_chunks_back() write them; relaxed: counts.
constinit std::array<std::atomic<int64_t>, heap_count> chunks_of{};

void count_chunks(std::intptr_t index, int64_t bytes) {
  chunks_of[static_cast<std::size_t>(index)].fetch_add(bytes, std::memory_order_relaxed);
}

bool is_heap(int node) { return node >= process_heap && node < os::most_nodes; }
int index_of(int node) { return node == process_heap ? os::most_nodes : node; }
int node_at(int index) { return index == os::most_nodes ? process_heap : index; }

How pages_of_heap(int node) {
  How how;
  how.placement = node == process_heap ? Placement::process : Placement::node;
  how.node = node;
  return how;
}

// While it lives the caller is inside a heap: past the gate, and under the thread block of the
// kernel thread. oneTBB's pools keep data of each thread by libc's keys and by thread block, and
// nobody destroys such data of a fiber's own block (tier 3 of thread-local storage). The calling
// fiber is not switched from meanwhile.
class Inside {
 public:
  Inside() : stripe(this_stripe()) {
    gate.enter(stripe);
    before_ = caller().enter_lasting_block();
  }
  ~Inside() {
    caller().return_to_block(before_);
    gate.leave(stripe);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  const int stripe;

 private:
  void* before_;
};

// --- pools ---------------------------------------------------------------------------------------

void* get_chunks(std::intptr_t index, std::size_t& bytes) {
  const std::size_t whole = (bytes + chunk_bytes - 1) / chunk_bytes * chunk_bytes;
  How how = pages_of_heap(node_at(static_cast<int>(index)));
  how.alignment = chunk_bytes;
  void* start = map_placed(whole, how);
  if (start == nullptr) return nullptr;
  if (!record_chunks(start, whole, static_cast<uint16_t>(index + 1))) {
    release_pages(start);
    return nullptr;
  }
  count_chunks(index, static_cast<int64_t>(whole));
  bytes = whole;
  return start;
}

int give_chunks_back(std::intptr_t index, void* start, std::size_t bytes) {
  forget_chunks(start, bytes);
  count_chunks(index, -static_cast<int64_t>(bytes));
  release_pages(start);
  return 0;
}

Heap* make_heap(const PoolLibrary& library, int index) {
  auto* heap = new (std::nothrow) Heap;
  if (heap == nullptr) return nullptr;
  const PoolPolicy policy{get_chunks, give_chunks_back, chunk_bytes};
  if (library.create(index, &policy, &heap->pool) == 0 && heap->pool != nullptr) return heap;
  delete heap;
  return nullptr;
}

// Null without memory: the next caller tries again to make the pool.
Heap* heap_at(const PoolLibrary& library, int index) {
  std::atomic<Heap*>& slot = heaps[static_cast<std::size_t>(index)];
  if (Heap* heap = slot.load(std::memory_order_acquire)) return heap;
  base::Locked locked(making_lock);
  Heap* heap = slot.load(std::memory_order_relaxed);  // relaxed: written under this lock
  if (heap == nullptr) {
    heap = make_heap(library, index);
    slot.store(heap, std::memory_order_release);
  }
  return heap;
}

// --- blocks --------------------------------------------------------------------------------------

uint64_t mark_of(const void* block) {
  return reinterpret_cast<std::uintptr_t>(block) ^ 0x78796c656d686561u;
}

BlockHeader& header_of(const void* block) {
  return static_cast<BlockHeader*>(const_cast<void*>(block))[-1];
}

// The header of the live block that begins at `block`; null if none begins there. Any address may
// be asked for.
BlockHeader* find_header(const void* block) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  if (address % least_alignment != 0 || address < sizeof(BlockHeader)) return nullptr;
  if (heap_number_of(&header_of(block)) == 0 || heap_number_of(block) == 0) return nullptr;
  BlockHeader& header = header_of(block);
  return header.mark == mark_of(block) ? &header : nullptr;
}

Heap& heap_by(const BlockHeader& header) {
  return *heaps[header.heap].load(std::memory_order_acquire);
}

char* pool_address(void* block) { return static_cast<char*>(block) - header_of(block).offset; }

void count(Heap& heap, int stripe, int64_t bytes) {
  heap.counts[static_cast<std::size_t>(stripe)].bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void* allocate_small(const PoolLibrary& library, int index, std::size_t bytes,
                     std::size_t alignment) {
  const Inside inside;
  Heap* heap = heap_at(library, index);
  if (heap == nullptr) return nullptr;
  const std::size_t offset = std::max(alignment, sizeof(BlockHeader));
  void* raw = alignment <= least_alignment
                  ? library.allocate(heap->pool, bytes + offset)
                  : library.allocate_aligned(heap->pool, bytes + offset, alignment);
  if (raw == nullptr) return nullptr;
  void* block = static_cast<char*>(raw) + offset;
  new (&header_of(block)) BlockHeader{mark_of(block), static_cast<uint32_t>(bytes),
                                      static_cast<uint16_t>(offset), static_cast<uint16_t>(index)};
  count(*heap, inside.stripe, static_cast<int64_t>(bytes));
  return block;
}

void free_small(const PoolLibrary& library, void* block, BlockHeader& header) {
  const Inside inside;
  Heap& heap = heap_by(header);
  void* raw = pool_address(block);
  count(heap, inside.stripe, -static_cast<int64_t>(header.bytes));
  header.mark = 0;
  library.free(heap.pool, raw);
}

// Resizes the block where it is, if it fits there and fills at least half. False: nothing changed.
bool resize_in_place(void* block, BlockHeader& header, std::size_t bytes) {
  const Inside inside;
  Heap& heap = heap_by(header);
  const std::size_t room = pool_library()->usable(heap.pool, pool_address(block)) - header.offset;
  if (bytes > room || bytes < room / 2) return false;
  count(heap, inside.stripe, static_cast<int64_t>(bytes) - static_cast<int64_t>(header.bytes));
  header.bytes = static_cast<uint32_t>(bytes);
  return true;
}

bool is_aligned(const void* block, std::size_t alignment) {
  return (reinterpret_cast<std::uintptr_t>(block) & (alignment - 1)) == 0;
}

}  // namespace

void* heap_allocate(int node, std::size_t bytes, std::size_t alignment, bool strict) {
  if (!is_heap(node)) return nullptr;
  if (!strict && bytes < large_block_bytes && alignment <= most_alignment)
    if (const PoolLibrary* library = pool_library())
      if (void* block = allocate_small(*library, index_of(node), bytes, alignment)) return block;
  How how = pages_of_heap(node);
  how.alignment = alignment;
  how.strict = strict;
  return map_placed(std::max<std::size_t>(bytes, 1), how);
}

void* heap_resize(void* block, std::size_t bytes, std::size_t alignment) {
  BlockHeader* header = find_header(block);
  if (header == nullptr) return nullptr;
  alignment = std::max<std::size_t>(alignment, header->offset);
  if (is_aligned(block, alignment) && resize_in_place(block, *header, bytes)) return block;
  void* other = heap_allocate(node_at(header->heap), bytes, alignment, false);
  if (other == nullptr) return nullptr;
  std::memcpy(other, block, std::min<std::size_t>(bytes, header->bytes));
  free_small(*pool_library(), block, *header);
  return other;
}

bool heap_free(void* block) {
  if (BlockHeader* header = find_header(block)) {
    free_small(*pool_library(), block, *header);
    return true;
  }
  if (heap_number_of(block) != 0 || mapped_bytes(block) == 0) return false;
  release_pages(block);
  return true;
}

bool find_heap_block(const void* block, HeapBlock& found) {
  const BlockHeader* header = find_header(block);
  if (header == nullptr) return false;
  found = {node_at(header->heap), header->bytes, header->offset};
  return true;
}

int heap_node(const void* block) {
  const BlockHeader* header = find_header(block);
  return header != nullptr ? node_at(header->heap) : -1;
}

std::size_t heap_block_bytes(const void* block) {
  if (const BlockHeader* header = find_header(block)) return header->bytes;
  return heap_number_of(block) == 0 ? mapped_bytes(block) : 0;
}

int64_t heap_bytes(int node) {
  if (!is_heap(node)) return 0;
  const Heap* heap =
      heaps[static_cast<std::size_t>(index_of(node))].load(std::memory_order_acquire);
  int64_t sum = 0;
  if (heap != nullptr)
    for (const Heap::Count& part : heap->counts) sum += part.bytes.load(std::memory_order_relaxed);
  return sum;
}

int64_t heap_chunk_bytes(int node) {
  if (!is_heap(node)) return 0;
  return chunks_of[static_cast<std::size_t>(index_of(node))].load(std::memory_order_relaxed);
}

void lock_heaps() { gate.close(); }
void unlock_heaps(bool /*in_child*/) { gate.open(); }

}  // namespace xylem::mem
