// Owns: the turn of an ordered loop: the first iteration whose chunk has not handed it on.
//
// All who wait look at one number, and each hand-on writes it: were all of n members to look all
// the time, a loop would move n lines for each chunk. So who waits looks the more rarely the more
// chunks come before its own. Where the turn does not move it sleeps, in a row by what it waits
// for, and who hands the turn on looks at the row of the next chunk alone. Whoever sleeps first
// makes the rows: most loops need none.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/loops/loop_schedule.hpp"
#include "omp/loops/progress.hpp"

namespace xylem::omp {

class Turn {
 public:
  Turn() = default;
  ~Turn() { drop_rows(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Back to the first iteration, for so many members. `all_run`: there is a processor for each, so
  // who waits need not sleep while the turn moves. Nobody waits, and nobody else looks.
  void reset(int members, bool all_run);

  uint64_t value() const { return value_.load(std::memory_order_acquire); }  // as in reached()

  // Returns when the chunk has the turn. May suspend the calling fiber. What was written before
  // the hand-on is seen then.
  void wait(const Chunk& chunk) {
    if (!reached(chunk)) wait_long(chunk);
  }

  // The chunk, which has the turn, hands it on to the next. One caller at a time.
  void hand_on(const Chunk& chunk);

  // Hands it on from iteration `from` to `to`, for members that do not come, if it is at `from`.
  void skip(uint64_t from, uint64_t to);

 private:
  struct alignas(64) Row : Sleepers {};

  bool reached(const Chunk& chunk) const {
    // pairs with the stores in hand_on() and skip()
    return value_.load(std::memory_order_acquire) >= chunk.first;
  }
  bool spin(const Chunk& chunk) const;
  void wait_long(const Chunk& chunk);
  // The rows, made if they are not there yet.
  Row* rows();
  void drop_rows();
  size_t row_of(uint64_t first) const;
  void wake(uint64_t first);

  std::atomic<uint64_t> value_{0};
  std::atomic<Row*> rows_{nullptr};  // owned; null: nobody has slept
  // In a record these are on its next cache line, which reset() leaves as it is where it can.
  uint8_t row_bits_ = 0;  // there are 1 << row_bits_ rows, or more
  bool all_run_ = false;
};

}  // namespace xylem::omp
