// Owns: task reductions: `reduction(task, ...)`, `task_reduction`, `in_reduction`.
//
// GCC describes the variables of one construct in an array of words (its ABI; the compiled code
// reads words 2 and 6 back):
//   [0] number of variables   [1] bytes of private copies for one thread   [2] in: alignment;
//   out: the copies of all threads, by thread number   [3] allocator, or -1   [4] the next array of
//   the same construct, or 0; the last one's is linked to the enclosing construct's   [5] ours:
//   nonzero in the first array of a construct   [6] out: end of the copies   then three words a
//   variable: address, offset in a thread's copies, ours.
// The copies start as zeros; compiled code initialises each at its first use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::omp {

struct Member;
struct Team;

// Registers the arrays with the current taskgroup, or frees their memory.
void taskgroup_reduction_register(Member& member, uintptr_t* data);
void taskgroup_reduction_unregister(uintptr_t* data);

// Worksharing constructs with a task reduction: every member calls it when it enters the construct.
// `first` is null for the first to come, and its `data` for the others. Starts the taskgroup of the
// construct too; workshare_task_reduction_unregister() ends it.
void workshare_task_reduction_register(Member& member, uintptr_t* data, uintptr_t* first);
// Ends it; has the construct's barrier inside unless the construct is cancelled.
void workshare_task_reduction_unregister(Member& member, bool cancelled);

// GOMP_parallel_reductions(fn, data, num_threads, flags): the first word of `data` is the array.
//   ParallelReductions reductions{data, 0};
//   parallel_begin_with(fn, data, num_threads, bind, prepare_parallel_reductions, &reductions);
//   fn(data); parallel_end(); return reductions.threads;
// The compiled code frees the copies by GOMP_taskgroup_reduction_unregister.
struct ParallelReductions {
  void* data;
  unsigned threads;  // out: the team's size
};
void prepare_parallel_reductions(Team& team, void* argument);

// Replaces ptrs[0..count-1], which name variables or copies of them, by the calling member's
// copies; for the first `originals` of them the variables themselves go to ptrs[count..].
void task_reduction_remap(Member& member, size_t count, size_t originals, void** ptrs);

}  // namespace xylem::omp
