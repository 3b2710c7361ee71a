// Owns: which pieces leave a memory node that is full (paper 002, section 3.2.1). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace xylem::hetero {

// What leaving costs, from the cheapest.
enum class Leaving : uint8_t {
  empty,  // its contents are old: nothing is lost
  clean,  // another node has the same
  dirty   // it must be copied to main memory before
};

// A piece that has memory on the node.
struct Held {
  size_t bytes = 0;
  Leaving leaving = Leaving::empty;
  uint64_t used_at = 0;  // when it was used last, by any clock that rises
  bool pinned = false;   // a task uses it, or is about to: it stays
};

// Numbers of the pieces that leave so that `bytes` are freed at least: the cheapest first, of these
// the least recently used. Without the last one there were too few. Empty if all that may leave is
// not enough, or `bytes` is 0.
std::vector<size_t> choose_victims(std::span<const Held> held, size_t bytes);

}  // namespace xylem::hetero
