// Owns: a worker's cache of memory blocks, by size: up to 2 KiB multiples of 64 bytes without the
// word that malloc keeps before a block, so that aligned blocks stand one behind the other; then
// powers of two. Only its worker uses the cache. A block may be put into another worker's than it
// was taken from. What the cache holds when its worker ends is freed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/report.hpp"

namespace xylem::sched {

class BlockCache {
 public:
  BlockCache() = default;
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache() {
    for (Block* first : free_)
      while (first) std::free(std::exchange(first, first->next));
  }

  // At least `bytes` bytes, 64-byte aligned, contents unspecified. Never null.
  void* take(size_t bytes) {
    const int size_class = class_of(bytes);
    if (size_class < classes && free_[size_class]) {
      Block* block = free_[size_class];
      free_[size_class] = block->next;
      --count_[size_class];
      return block;
    }
    return fresh(bytes);
  }

  // The same for one who has no cache.
  static void* fresh(size_t bytes) {
    void* block = nullptr;
    if (posix_memalign(&block, 64, room_for(bytes)) != 0)
      base::fatal("out of memory for teams and tasks");
    return block;
  }

  // `bytes` as given to take(), of any worker.
  void put(void* raw, size_t bytes) {
    const int size_class = class_of(bytes);
    if (size_class >= classes || count_[size_class] >= most_kept) {
      std::free(raw);
      return;
    }
    auto* block = static_cast<Block*>(raw);
    block->next = free_[size_class];
    free_[size_class] = block;
    ++count_[size_class];
  }

  // Size of the block that serves `bytes` >= 1.
  static constexpr size_t room_for(size_t bytes) {
    if (bytes > most_stepped) return std::bit_ceil(bytes);
    return (bytes + mallocs_own + step - 1) / step * step - mallocs_own;
  }

 private:
  struct Block {
    Block* next;
  };
  static constexpr size_t mallocs_own = sizeof(size_t);
  static constexpr size_t step = 64;
  static constexpr size_t largest_step = 2048;
  static constexpr size_t most_stepped = largest_step - mallocs_own;
  static constexpr int stepped = largest_step / step;  // classes
  static constexpr int classes = stepped + 6;          // up to 64 KiB
  static constexpr int most_kept = 64;                 // blocks of a class

  static constexpr int class_of(size_t bytes) {
    if (bytes <= most_stepped) return static_cast<int>((bytes + mallocs_own - 1) / step);
    return stepped + std::bit_width((bytes - 1) / largest_step);
  }

  Block* free_[classes] = {};
  uint16_t count_[classes] = {};
};

}  // namespace xylem::sched
