// Owns: task reductions. See task_reduction.hpp.
#include "omp/tasks/task_reduction.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/report.hpp"
#include "omp/tasks/task_blocks.hpp"
#include "omp/tasks/taskgroup.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

namespace {

size_t bytes_for(size_t count) { return sizeof(ReductionBlock) + count * sizeof(ReductionItem); }

char* allocate(size_t alignment, size_t bytes) {
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  const size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* copies = std::aligned_alloc(alignment, whole ? whole : alignment);
  if (!copies) base::fatal("out of memory");
  return static_cast<char*>(copies);
}

void provide_copies(ReductionBlock* blocks, int threads) {
  for (ReductionBlock* block = blocks; block; block = block->next) {
    const size_t bytes = block->thread_bytes * static_cast<size_t>(threads);
    block->copies = allocate(block->alignment, bytes);
    block->copies_end = block->copies + bytes;
    std::memset(block->copies, 0, bytes);
  }
}

void share_copies(ReductionBlock* blocks, const ReductionBlock* first) {
  for (ReductionBlock* block = blocks; block; block = block->next, first = first->next) {
    block->copies = first->copies;
    block->copies_end = first->copies_end;
  }
}

void free_all_copies(ReductionBlock* blocks) {
  for (ReductionBlock* block = blocks; block; block = block->next) free_copies(*block);
}

void begin_copy(const ReductionItem& item, void* copy) {
  if (item.init)
    item.init(copy);
  else if (item.init_from)
    item.init_from(copy, item.initial);
  else
    std::memset(copy, 0, item.bytes);
}

}  // namespace

void free_copies(ReductionBlock& block) {
  std::free(block.copies);
  block.copies = block.copies_end = nullptr;
}

void free_reduction_blocks(ReductionBlock* blocks) {
  while (blocks) {
    ReductionBlock* next = blocks->next;
    const size_t bytes = bytes_for(blocks->count);
    blocks->~ReductionBlock();
    put_block(blocks, bytes);
    blocks = next;
  }
}

void provide_unbegun_copies(ReductionBlock& block, int threads) {
  const size_t bytes = block.thread_bytes * static_cast<size_t>(threads);
  const size_t copies = block.count * static_cast<size_t>(threads);
  block.copies = allocate(block.alignment, bytes + copies * sizeof(bool));
  block.copies_end = block.copies + bytes;
  block.begun = reinterpret_cast<bool*>(block.copies_end);
  std::memset(block.begun, 0, copies * sizeof(bool));
}

namespace {

struct Found {
  const ReductionBlock* block = nullptr;
  const ReductionItem* item = nullptr;
  size_t offset = 0;  // in a thread's copies
  const void* original = nullptr;
};

// The variable at `address`, if it is one of this construct.
bool find_original(const ReductionBlock* blocks, const void* address, Found& found) {
  for (const ReductionBlock* block = blocks; block; block = block->next) {
    for (const ReductionItem& item : block->items()) {
      if (item.address != address) continue;
      found = {block, &item, item.offset, address};
      return true;
    }
  }
  return false;
}

// The variable of which some thread's copy is at `address`.
bool find_copy(const ReductionBlock* blocks, const char* address, Found& found) {
  for (const ReductionBlock* block = blocks; block; block = block->next) {
    if (address < block->copies || address >= block->copies_end) continue;
    const auto distance = static_cast<size_t>(address - block->copies);
    found = {block, nullptr, distance % block->thread_bytes, nullptr};
    for (const ReductionItem& item : block->items()) {
      if (item.offset != found.offset) continue;
      found.item = &item;
      found.original = item.address;
    }
    return true;
  }
  return false;
}

// The innermost construct's of that address.
bool find(const Taskgroup* innermost, const void* address, Found& found) {
  for (auto* group = innermost; group; group = group->around_with_reductions)
    if (find_original(group->reductions, address, found)) return true;
  for (auto* group = innermost; group; group = group->around_with_reductions)
    if (find_copy(group->reductions, static_cast<const char*>(address), found)) return true;
  return false;
}

}  // namespace

ReductionBlock* new_reduction_block(size_t count) {
  auto* block = new (take_block(bytes_for(count))) ReductionBlock;
  block->count = count;
  return block;
}

void free_reductions(ReductionBlock* blocks) {
  free_all_copies(blocks);
  free_reduction_blocks(blocks);
}

void begin_reductions(Member& member, ReductionBlock* blocks) {
  provide_copies(blocks, member.team->n);
  member.task->taskgroup->reductions = blocks;
}

void begin_region_reductions(Team& team, ReductionBlock* blocks) {
  provide_copies(blocks, team.n);
  auto* group = new Taskgroup;
  group->reductions = blocks;
  team.tasks.region_group = group;
  team.master.implicit.taskgroup = group;
}

void begin_shared_reductions(Member& member, ReductionBlock* blocks, ReductionBlock* first) {
  Taskgroup& group = taskgroup_start(member);
  group.workshare = true;
  if (first) {
    share_copies(blocks, first);
    // relaxed: the record is one of the users meanwhile
    first->users.fetch_add(1, std::memory_order_relaxed);
  } else {
    provide_copies(blocks, member.team->n);
    blocks->users.store(2, std::memory_order_relaxed);  // relaxed: published with the record
  }
  blocks->first = first ? first : blocks;
  group.reductions = blocks;
}

void release_reductions(ReductionBlock* first) {
  // acq_rel: who frees them sees what all others did with them
  if (first->users.fetch_sub(1, std::memory_order_acq_rel) == 1) free_reductions(first);
}

void end_shared_reductions(Member& member, bool cancelled) {
  ReductionBlock* own = member.task->taskgroup->reductions;
  ReductionBlock* first = own->first;
  taskgroup_end(member);
  if (own != first) free_reduction_blocks(own);
  // Not cancelled: all have been in the barrier before, so nobody is still to come for the copies.
  if (member.num == 0 && !cancelled) free_all_copies(first);
  release_reductions(first);
  if (!cancelled) team_barrier(member);
}

ReductionCopy reduction_copy(const Member& member, const Taskgroup* innermost,
                             const void* address) {
  Found found;
  if (!find(innermost, address, found)) {
    base::fatal("no task_reduction, or reduction with task modifier, for %p", address);
  }
  const ReductionBlock& block = *found.block;
  const auto thread = static_cast<size_t>(member.num);
  char* copy = block.copies + thread * block.thread_bytes + found.offset;
  if (block.begun && found.item) {
    const auto number = static_cast<size_t>(found.item - block.items().data());
    bool& begun = block.begun[thread * block.count + number];
    if (!begun) begin_copy(*found.item, copy);
    begun = true;
  }
  return {copy, found.original};
}

}  // namespace xylem::omp
