// Owns: Clang's arrays of task reductions, in two forms: of the older one the function that
// initialises a copy gets nothing but the copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "omp/tasks/task_reduction.hpp"

namespace xylem::abi::kmp {

// One variable. `init` and `destroy` may be null. The flag says that its size is known late only;
// here each copy is made when it is needed.
struct ReductionInput {
  void* shared;
  size_t bytes;
  void (*init)(void* copy);
  void (*destroy)(void* copy);
  void (*combine)(void* variable, void* copy);
  uint32_t flags;
};
static_assert(sizeof(ReductionInput) == 48);

struct ReductionInputFrom {
  void* shared;
  const void* original;
  size_t bytes;
  void (*init)(void* copy, const void* original);
  void (*destroy)(void* copy);
  void (*combine)(void* variable, void* copy);
  uint32_t flags;
};
static_assert(sizeof(ReductionInputFrom) == 56);

inline void set_init(omp::ReductionItem& item, const ReductionInput& input) {
  item.init = input.init;
}
inline void set_init(omp::ReductionItem& item, const ReductionInputFrom& input) {
  item.init_from = input.init;
  item.initial = input.original;
}

// Each copy has cache lines of its own.
template <class Input>
omp::ReductionBlock& decode_reductions(std::span<const Input> inputs) {
  constexpr size_t line = 64;
  omp::ReductionBlock& block = *omp::new_reduction_block(inputs.size());
  block.alignment = line;
  const Input* input = inputs.data();
  for (omp::ReductionItem& item : block.items()) {
    item = {.address = input->shared, .offset = block.thread_bytes};
    item.bytes = input->bytes;
    item.combine = input->combine;
    item.destroy = input->destroy;
    set_init(item, *input);
    block.thread_bytes += (input->bytes + line - 1) / line * line;
    ++input;
  }
  return block;
}

}  // namespace xylem::abi::kmp
