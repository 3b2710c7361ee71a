// Owns: GCC's arrays of task reductions. The variables of one construct are in one or more arrays
// of words:
//   [0] number of variables   [1] bytes of one thread's copies   [2] in: their alignment; out: the
//   copies, by thread number   [3] allocator, or -1   [4] the next array of the same construct, or
//   0   [5] the runtime's: here the ReductionBlock   [6] out: end of the copies   then three words
//   a variable: address, offset in a thread's copies, the runtime's
// The compiled code fills in all but [5], [6] and the last word of a variable, and reads [2] and
// [6] back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/tasks/task_reduction.hpp"

namespace xylem::abi {

namespace reduction_words {

enum : size_t {
  variables = 0,
  thread_bytes = 1,
  alignment = 2,
  copies = 2,
  next = 4,
  block = 5,
  copies_end = 6,
  first_variable = 7,
  per_variable = 3,
};

}  // namespace reduction_words

inline omp::ReductionBlock* decode_reduction_array(const uintptr_t* array) {
  namespace words = reduction_words;
  auto* block = omp::new_reduction_block(array[words::variables]);
  block->thread_bytes = array[words::thread_bytes];
  block->alignment = array[words::alignment];
  const uintptr_t* variable = array + words::first_variable;
  for (omp::ReductionItem& item : block->items()) {
    item = omp::ReductionItem{.address = reinterpret_cast<const void*>(variable[0]),
                              .offset = variable[1]};
    variable += words::per_variable;
  }
  return block;
}

inline uintptr_t* next_reduction_array(const uintptr_t* array) {
  return reinterpret_cast<uintptr_t*>(array[reduction_words::next]);
}

// The blocks of a construct, in the order of its arrays.
inline omp::ReductionBlock* decode_reductions(const uintptr_t* arrays) {
  omp::ReductionBlock* blocks = decode_reduction_array(arrays);
  omp::ReductionBlock* last = blocks;
  for (auto* array = next_reduction_array(arrays); array; array = next_reduction_array(array)) {
    last->next = decode_reduction_array(array);
    last = last->next;
  }
  return blocks;
}

// Tells the compiled code where the copies are.
inline void answer_reductions(uintptr_t* arrays, omp::ReductionBlock* blocks) {
  namespace words = reduction_words;
  for (uintptr_t* array = arrays; array; array = next_reduction_array(array)) {
    array[words::copies] = reinterpret_cast<uintptr_t>(blocks->copies);
    array[words::copies_end] = reinterpret_cast<uintptr_t>(blocks->copies_end);
    array[words::block] = reinterpret_cast<uintptr_t>(blocks);
    blocks = blocks->next;
  }
}

// Of arrays that were answered.
inline omp::ReductionBlock* blocks_of(const uintptr_t* arrays) {
  return reinterpret_cast<omp::ReductionBlock*>(arrays[reduction_words::block]);
}

// In place of the arrays of a loop without iterations, so that the compiled code adds nothing up.
inline void answer_no_reductions(uintptr_t* arrays) { arrays[reduction_words::copies] = 0; }

}  // namespace xylem::abi
