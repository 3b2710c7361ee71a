// Owns: a worker's cache of memory blocks for teams, by power-of-two size. Only its worker uses it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdlib>

#include "base/report.hpp"

namespace xylem::fiber {

class BlockCache {
 public:
  // At least `bytes` bytes, 64-byte aligned, contents unspecified. Never null.
  void* take(size_t bytes) {
    const int order = order_of(bytes);
    if (order < orders && free_[order]) {
      Block* block = free_[order];
      free_[order] = block->next;
      --count_[order];
      return block;
    }
    void* fresh = std::aligned_alloc(64, size_t{1} << (order + least_order));
    if (!fresh) base::fatal("out of memory for a team of threads");
    return fresh;
  }

  // `bytes` as given to take(), of any worker.
  void put(void* raw, size_t bytes) {
    const int order = order_of(bytes);
    if (order >= orders || count_[order] >= most_kept) {
      std::free(raw);
      return;
    }
    auto* block = static_cast<Block*>(raw);
    block->next = free_[order];
    free_[order] = block;
    ++count_[order];
  }

 private:
  struct Block {
    Block* next;
  };
  static constexpr int least_order = 9;  // 512 bytes
  static constexpr int orders = 8;       // up to 64 KiB
  static constexpr int most_kept = 64;

  static int order_of(size_t bytes) {
    const int width = std::bit_width(bytes - 1);
    return width <= least_order ? 0 : width - least_order;
  }

  Block* free_[orders] = {};
  int count_[orders] = {};
};

}  // namespace xylem::fiber
