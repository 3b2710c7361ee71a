// Owns: chains of free blocks on their way from workers that have too many to workers that need
// some. One of all caches (block_cache.hpp). Without it a worker that makes tasks for others would
// take each block from malloc, and they would free each. Magazines and depot as Bonwick and Adams
// have them ("Magazines and Vmem", 2001).
//
// A chain changes hands whole, by one exchange, so its blocks need no lock, and no chain is seen
// by two. In a child of fork a chain is there, or lost with the thread that had it.
#pragma once

#include <atomic>

namespace xylem::sched {

class BlockDepot {
 public:
  struct Block {
    Block* next;
  };
  static constexpr int classes = 33;  // of sizes; the caches say which

  // A chain that somebody gave; null: there is none.
  Block* take(int size_class) {
    for (std::atomic<Block*>& place : places_[size_class])
      if (place.load(std::memory_order_relaxed))  // relaxed: the exchange decides
        if (Block* chain = place.exchange(nullptr, std::memory_order_acquire)) return chain;
    return nullptr;
  }

  // False: there are as many as it keeps, and the chain stays the caller's.
  bool give(int size_class, Block* chain) {
    for (std::atomic<Block*>& place : places_[size_class]) {
      Block* none = nullptr;
      if (!place.load(std::memory_order_relaxed) &&  // relaxed: the exchange decides
          place.compare_exchange_strong(none, chain, std::memory_order_release,
                                        std::memory_order_relaxed))
        return true;
    }
    return false;
  }

 private:
  static constexpr int chains_of_a_class = 8;
  std::atomic<Block*> places_[classes][chains_of_a_class] = {};
};

inline constinit BlockDepot block_depot;

}  // namespace xylem::sched
