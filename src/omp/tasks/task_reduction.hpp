// Owns: task reductions: `reduction(task, ...)`, `task_reduction`, `in_reduction`.
//
// The variables of one construct stand in one or more blocks. A block has copies of its variables
// for each thread of the team:
//   copy of an item for thread t == block.copies + t * block.thread_bytes + item.offset
// GCC's compiled code initialises each copy, zeros until then, at its first use, and adds them up.
// For Clang's the runtime does both (task_combine.hpp).
// Who makes a block (new_reduction_block) fills it in and hands it to one of the functions that
// begin reductions; from then on the block says where its copies are.
//
// Of a worksharing construct each member has blocks of its own, as its variables may be its own
// too; the copies are those of the member that came first. Its blocks have a count:
//   users of the first block == members that have begun and not ended, plus 1 until all have left
//   the construct's record (WorkShare::reductions)
// So who comes late to a cancelled construct finds them. The record may be left before the
// construct ends: others stand inside a scope.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace xylem::omp {

struct Member;
struct Taskgroup;
struct Team;

// One variable of a reduction.
struct ReductionItem {
  const void* address;
  size_t offset;  // of its copy among a thread's copies
  // Where the runtime deals with copies. Each but `combine` may be null; what nothing initialises
  // is zeros.
  size_t bytes = 0;
  void (*init)(void* copy) = nullptr;
  void (*init_from)(void* copy, const void* initial) = nullptr;
  const void* initial = nullptr;
  void (*combine)(void* variable, void* copy) = nullptr;
  void (*destroy)(void* copy) = nullptr;
};

// Lies in one block of memory, the items behind it.
struct ReductionBlock {
  ReductionBlock* next = nullptr;  // of the same construct
  size_t count = 0;                // of items
  size_t thread_bytes = 0;         // of one thread's copies
  size_t alignment = 1;            // of the first thread's; a power of two
  char* copies = nullptr;          // by thread number
  char* copies_end = nullptr;
  // By thread number and then item, written by that thread: its copy is initialised. Null: compiled
  // code does that.
  bool* begun = nullptr;
  ReductionBlock* first = nullptr;  // of a worksharing construct: of the member that came first
  std::atomic<uint32_t> users{0};   // of its blocks; in the first of them

  std::span<ReductionItem> items() { return {reinterpret_cast<ReductionItem*>(this + 1), count}; }
  std::span<const ReductionItem> items() const {
    return {reinterpret_cast<const ReductionItem*>(this + 1), count};
  }
};

// With room for `count` items, which the caller fills in.
ReductionBlock* new_reduction_block(size_t count);
// Frees all blocks of a construct and their copies.
void free_reductions(ReductionBlock* blocks);
// Only the one or the other.
void free_reduction_blocks(ReductionBlock* blocks);
void free_copies(ReductionBlock& block);

// Copies that are initialised when a thread first asks for its own, by reduction_copy(). Then, and
// not before, the thread has what Clang's functions for items of variable size read.
void provide_unbegun_copies(ReductionBlock& block, int threads);

// Reductions of the current taskgroup, and of a parallel region before its members start. The
// caller frees them when it has added them up.
void begin_reductions(Member& member, ReductionBlock* blocks);
void begin_region_reductions(Team& team, ReductionBlock* blocks);

// Those of a worksharing construct: every member calls it when it enters the construct. `first`:
// the blocks of the member that came first; null: the caller is that one. Starts the taskgroup of
// the construct too.
void begin_shared_reductions(Member& member, ReductionBlock* blocks, ReductionBlock* first);
// Ends both; thread 0 has added the copies up. Has the construct's barrier inside unless the
// construct is cancelled.
void end_shared_reductions(Member& member, bool cancelled);
// All members have left the record that names the blocks of the first.
void release_reductions(ReductionBlock* first);

struct ReductionCopy {
  void* own;             // the calling member's
  const void* original;  // the variable; null: it is not known
};

// `address` is that of a variable or of some thread's copy of one. Dies if no reduction of
// `innermost`, or of a group around it, has such a variable.
ReductionCopy reduction_copy(const Member& member, const Taskgroup* innermost, const void* address);

}  // namespace xylem::omp
