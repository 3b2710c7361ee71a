// Owns: the memory pools of oneTBB's scalable allocator (libtbbmalloc.so.2), as far as heaps need
// them. The names and shapes are its interface's (oneapi/tbb/scalable_allocator.h); it is loaded
// when a heap is first used, so that a program without heaps never has it in its process.
//
// None of its functions can suspend a fiber: its locks spin and give the processor to the kernel's
// choice. It knows threads by libc's keys and their thread blocks; see KernelThread in heap.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::mem {

struct MemoryPool;  // rml::MemoryPool

// rml::MemPoolPolicy. get() may enlarge what it is asked for and answers null without memory;
// give_back() answers 0.
struct PoolPolicy {
  void* (*get)(std::intptr_t pool_id, std::size_t& bytes);
  int (*give_back)(std::intptr_t pool_id, void* start, std::size_t bytes);
  std::size_t granularity;  // what get() is asked for is a multiple of it
  int version = 1;
  unsigned fixed_pool : 1 = 0;       // one chunk, and no more
  unsigned keep_all_memory : 1 = 0;  // nothing is given back before the end
  unsigned reserved : 30 = 0;
};

struct PoolLibrary {
  int (*create)(std::intptr_t pool_id, const PoolPolicy* policy, MemoryPool** pool);  // 0: made
  void* (*allocate)(MemoryPool* pool, std::size_t bytes);  // at multiples of 16 from 16 bytes on
  void* (*allocate_aligned)(MemoryPool* pool, std::size_t bytes, std::size_t alignment);
  bool (*free)(MemoryPool* pool, void* block);
  std::size_t (*usable)(MemoryPool* pool, void* block);
};

// Null where it is not installed, or where a sanitizer would take what it does for errors: its code
// is not instrumented. The first call loads it; no lock may be held then, as that takes the
// loader's lock.
const PoolLibrary* pool_library();

}  // namespace xylem::mem
