// Owns: dealing chunks out, and taking them from others. See loop_ranges.hpp.
#include "omp/loops/loop_ranges.hpp"

#include <cstdlib>
#include <new>

#include "base/relax.hpp"
#include "base/report.hpp"

namespace xylem::omp {

LoopRanges::~LoopRanges() { std::free(ranges_); }

void LoopRanges::begin(int ranges, int a_node, uint64_t last) {
  if (ranges > room_) {
    std::free(ranges_);
    const size_t bytes = sizeof(Range) * static_cast<size_t>(ranges);
    void* memory = std::aligned_alloc(alignof(Range), bytes);
    if (!memory) base::fatal("out of memory for a loop's ranges");
    ranges_ = static_cast<Range*>(memory);
    for (int i = 0; i < ranges; ++i) new (ranges_ + i) Range;
    room_ = ranges;
  }
  last_ = last;
  last_is_taken_.store(false, std::memory_order_relaxed);  // relaxed: published with the record
  count_ = ranges;
  a_node_ = a_node;
}

// About 100 ns, as long as it takes to take something from another.
constexpr int relaxes_before_taking = 4;

// False if there is nothing, or its owner works so fast that it will have done the rest by the time
// that it has been watched twice: who took of that would only be in its way.
bool LoopRanges::worth_taking(const Range& other) {
  const uint64_t seen = other.load(std::memory_order_relaxed);
  uint32_t left = left_in(seen);
  if (next_in(seen) == other.first) return left > 0;  // not begun
  while (left > 0) {
    for (int i = 0; i < relaxes_before_taking; ++i) base::relax();
    const uint32_t before = left;
    left = left_in(other.load(std::memory_order_relaxed));
    // It may also have got new ones.
    if (left >= before || left > before - left) return left > 0;
  }
  return false;
}

// The upper half, so that its owner goes on undisturbed. As a word, without chunks if there are
// none.
uint64_t LoopRanges::take_half(Range& from) {
  uint64_t seen = from.load(std::memory_order_relaxed);
  while (const uint32_t left = left_in(seen)) {
    const uint32_t end = end_in(seen), first = end - (left + 1) / 2;
    const uint64_t rest = range_of(next_in(seen), first);
    if (from.compare_exchange_weak(seen, rest, std::memory_order_relaxed))
      return range_of(first, end);
  }
  return 0;
}

bool LoopRanges::take_last(Range& from, uint64_t& chunk) {
  uint64_t seen = from.load(std::memory_order_relaxed);
  while (left_in(seen) > 0) {
    const uint32_t last = end_in(seen) - 1;
    const uint64_t rest = range_of(next_in(seen), last);
    if (!from.compare_exchange_weak(seen, rest, std::memory_order_relaxed)) continue;
    chunk = last;
    return true;
  }
  return false;
}

bool LoopRanges::take_very_last(uint64_t& chunk) {
  if (last_is_taken_.load(std::memory_order_relaxed)) return false;
  chunk = last_;
  return !last_is_taken_.exchange(true, std::memory_order_relaxed);
}

bool LoopRanges::take_from_others(int own, uint64_t seen, uint64_t& chunk) {
  Range& mine = ranges_[own];
  const bool fills =
      seen != filling && mine.compare_exchange_strong(seen, filling, std::memory_order_relaxed);
  uint64_t taken = 0;
  bool found = false;
  visit_near_first(own, count_, a_node_, [&](int other) {
    Range& from = ranges_[other];
    if (!worth_taking(from)) return false;
    if (fills) {
      taken = take_half(from);
      found = left_in(taken) > 0;
    } else {
      found = take_last(from, chunk);
    }
    return found;
  });
  if (fills) {
    mine.store(found ? taken + 1 : 0, std::memory_order_relaxed);
    if (found) chunk = next_in(taken);
  }
  return found;
}

}  // namespace xylem::omp
