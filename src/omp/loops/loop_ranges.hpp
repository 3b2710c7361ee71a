// Owns: a loop's chunks dealt out beforehand, a range to each processor: for dynamic loops whose
// chunks a thread may get in any order (ChunkOrder::any, XYLEM_NONMONOTONIC), or that begin where
// their data is (loop_homes.hpp). Who has none left takes half of what another still has, from its
// end, and looks at those that are near first.
//
// So a chunk costs an operation on a cache line that nobody else touches, until the loop comes to
// its end, and equal loops give a processor the same iterations, near its data.
//
// The last chunk of all is dealt to nobody: it goes to the first who finds nothing else, and who
// gets it asks no more. Compiled code relies on it: who ran the last iteration is, after the loop,
// the one that stands at the loop's end (lastprivate, linear).
//
// A range is one word, the next chunk and the one behind the last. A word with chunks left says
// that these, and no others, stand here and nobody has them: whatever happened since it was read,
// an exchange that finds it unchanged takes what it says. A word without chunks is changed only by
// who brings new ones: `filling` keeps others that serve the same range from doing so too.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/loops/loop_schedule.hpp"
#include "omp/team/near_first.hpp"

namespace xylem::omp {

class LoopRanges {
 public:
  LoopRanges() = default;
  ~LoopRanges();
  LoopRanges(const LoopRanges&) = delete;
  LoopRanges& operator=(const LoopRanges&) = delete;

  // Chunks are counted in half a word.
  static bool fits(uint64_t chunks, int ranges) {
    return ranges > 1 && chunks > 0 && chunks <= UINT32_MAX;
  }
  // Fewer than 16 for each range are not worth it (decisions.md).
  static bool worth(uint64_t chunks, int ranges) {
    return fits(chunks, ranges) && chunks >= 16 * static_cast<uint64_t>(ranges);
  }

  // Nobody else knows the loop yet. block_of(range): the chunks of each range; each stands in one,
  // but for that with the loop's last iteration, which stands in none and has the number `last`.
  // Numbers fit into 32 bits. `a_node`: ranges of one memory node (visit_near_first).
  template <typename BlockOf>
  void deal(int ranges, int a_node, uint64_t last, BlockOf block_of) {
    begin(ranges, a_node, last);
    for (int i = 0; i < ranges; ++i) give(ranges_[i], block_of(i));
  }
  // Chunks 0 .. chunks-1 in equal blocks.
  void deal(uint64_t chunks, int ranges, int a_node) {
    deal(ranges, a_node, chunks - 1,
         [chunks, ranges](int i) { return static_block(chunks - 1, ranges, i); });
  }

  int count() const { return count_; }
  // The last chunk: who gets it must not take another.
  uint64_t last() const { return last_; }

  // Takes a chunk for one who is served by range `own`. False: there is none, or the last ones are
  // just changing hands.
  bool take(int own, uint64_t& chunk) {
    Range& range = ranges_[own];
    // relaxed throughout: a chunk carries no data (WorkShare::next)
    uint64_t seen = range.load(std::memory_order_relaxed);
    while (left_in(seen) > 0) {
      if (!range.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed)) continue;
      chunk = next_in(seen);
      return true;
    }
    return take_from_others(own, seen, chunk) || take_very_last(chunk);
  }

 private:
  struct alignas(64) Range : std::atomic<uint64_t> {
    uint32_t first = 0;  // where it began
  };

  static constexpr uint64_t filling = 1;  // no chunks, from 1 to 0
  static uint32_t next_in(uint64_t word) { return static_cast<uint32_t>(word); }
  static uint32_t end_in(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
  static uint32_t left_in(uint64_t word) {
    return end_in(word) > next_in(word) ? end_in(word) - next_in(word) : 0;
  }
  static uint64_t range_of(uint32_t next, uint32_t end) { return uint64_t{end} << 32 | next; }

  void begin(int ranges, int a_node, uint64_t last);
  static void give(Range& range, const Chunk& block) {
    range.first = static_cast<uint32_t>(block.first);
    // relaxed: published with the record
    range.store(range_of(range.first, range.first + static_cast<uint32_t>(block.count)),
                std::memory_order_relaxed);
  }
  bool take_from_others(int own, uint64_t seen, uint64_t& chunk);
  static bool worth_taking(const Range& other);
  bool take_very_last(uint64_t& chunk);
  static uint64_t take_half(Range& from);
  static bool take_last(Range& from, uint64_t& chunk);

  Range* ranges_ = nullptr;  // owned
  uint64_t last_ = 0;
  int count_ = 0;   // ranges in use
  int a_node_ = 1;  // of one memory node
  std::atomic<bool> last_is_taken_{false};
  int room_ = 0;
};

}  // namespace xylem::omp
