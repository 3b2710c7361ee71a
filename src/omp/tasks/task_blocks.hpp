// Owns: memory of what tasks need: from the cache of the worker that the caller runs on.
#pragma once

#include "sched/sched.hpp"

namespace xylem::omp {

// At least `bytes` bytes, 64-byte aligned. Never null. Any thread may give the block back.
inline void* take_block(size_t bytes) { return sched::take_block(sched::current_thread(), bytes); }

// `bytes` as given to take_block().
inline void put_block(void* block, size_t bytes) {
  sched::put_block(sched::current_thread(), block, bytes);
}

}  // namespace xylem::omp
