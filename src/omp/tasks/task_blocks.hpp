// Owns: memory of what tasks need: from the cache of the worker that the caller runs on.
#pragma once

#include "sched/worker/worker.hpp"

namespace xylem::omp {

// At least `bytes` bytes, 64-byte aligned. Never null. Any thread may give the block back.
inline void* take_block(size_t bytes) {
  const sched::Fiber* fiber = sched::current_fiber();
  if (fiber) [[likely]]
    return fiber->worker->blocks.take(bytes);
  return sched::BlockCache::fresh(bytes);
}

// `bytes` as given to take_block().
inline void put_block(void* block, size_t bytes) {
  const sched::Fiber* fiber = sched::current_fiber();  // null: an event fulfilled from outside
  if (fiber) [[likely]]
    return fiber->worker->blocks.put(block, bytes);
  std::free(block);
}

}  // namespace xylem::omp
