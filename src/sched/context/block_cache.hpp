// Owns: a worker's cache of memory blocks, by size: up to 2 KiB multiples of 64 bytes without the
// word that malloc keeps before a block, so that aligned blocks stand one behind the other; then
// powers of two. Only its worker uses the cache. A block may be put into another worker's than it
// was taken from: where one worker makes what others end, whole chains of blocks come back to it
// by way of the depot. What the cache holds when its worker ends is freed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/report.hpp"
#include "sched/context/block_depot.hpp"

namespace xylem::sched {

class BlockCache {
 public:
  BlockCache() = default;
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache() {
    for (const Kept& kept : kept_)
      for (Block* first : {kept.loose, kept.chain}) free_all(first);
  }

  // At least `bytes` bytes, 64-byte aligned, contents unspecified. Never null.
  void* take(size_t bytes) {
    const int size_class = class_of(bytes);
    if (size_class >= classes) return fresh(bytes);
    Kept& kept = kept_[size_class];
    if (!kept.loose && !open_chain(kept, size_class)) return fresh(bytes);
    --kept.count;
    return std::exchange(kept.loose, kept.loose->next);
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
    if (size_class >= classes) return std::free(raw);
    Kept& kept = kept_[size_class];
    if (kept.count == blocks_a_chain) close_chain(kept, size_class);
    kept.loose = new (raw) Block{kept.loose};
    ++kept.count;
  }

  // Size of the block that serves `bytes` >= 1.
  static constexpr size_t room_for(size_t bytes) {
    if (bytes > most_stepped) return std::bit_ceil(bytes);
    return (bytes + mallocs_own + step - 1) / step * step - mallocs_own;
  }

 private:
  using Block = BlockDepot::Block;
  // Of a class: up to a chain of loose blocks, and a whole chain or none.
  struct Kept {
    Block* loose = nullptr;
    Block* chain = nullptr;
    int count = 0;  // of loose ones
  };
  static constexpr size_t mallocs_own = sizeof(size_t);
  static constexpr size_t step = 64;
  static constexpr size_t largest_step = 2048;
  static constexpr size_t most_stepped = largest_step - mallocs_own;
  static constexpr int small = BlockDepot::classes;  // up to 2 KiB
  static_assert(small == largest_step / step + 1);
  static constexpr int classes = small + 5;  // up to 64 KiB
  static constexpr int blocks_a_chain = 32;

  static constexpr int class_of(size_t bytes) {
    if (bytes <= most_stepped) return static_cast<int>((bytes + mallocs_own - 1) / step);
    return small + std::bit_width((bytes - 1) / largest_step) - 1;
  }

  static void free_all(Block* first) {
    while (first) std::free(std::exchange(first, first->next));
  }

  // False: there is none.
  static bool open_chain(Kept& kept, int size_class) {
    kept.loose = std::exchange(kept.chain, nullptr);
    if (!kept.loose && size_class < small) kept.loose = block_depot.take(size_class);
    if (kept.loose) kept.count = blocks_a_chain;
    return kept.loose != nullptr;
  }

  // Of loose ones that are as many.
  static void close_chain(Kept& kept, int size_class) {
    Block* rest = std::exchange(kept.chain, std::exchange(kept.loose, nullptr));
    kept.count = 0;
    if (rest && !(size_class < small && block_depot.give(size_class, rest))) free_all(rest);
  }

  Kept kept_[classes];
};

}  // namespace xylem::sched
