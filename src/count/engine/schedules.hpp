// Owns: which thread ran which iterations of a loop whose schedule is dynamic, so that a later run,
// or a later time, gives each thread the same ones (paper 001, section 3.1.2): recorded, packed,
// played again. Pure data.
//
// Packed, a schedule is the first iteration of each thread and P x (N - P) bits: iterations that
// are no thread's first, by thread. Threads without an iteration are not among the P.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace xylem::count {

class LineReader;
class LineWriter;

// Iterations [lo, hi) of a loop whose first is 0, whatever its bounds and step are.
struct Turns {
  uint64_t lo = 0;
  uint64_t hi = 0;

  bool operator==(const Turns&) const = default;
};

// Recorded while the loop runs. Each thread says what it runs by itself, without a lock: threads
// write words of their own, in lines of their own.
class ScheduleRecorder {
 public:
  // Bits that a record may have: what its text can be read again with.
  static constexpr uint64_t most_bits = uint64_t{1} << 27;
  static bool is_possible(int threads, uint64_t iterations) {
    return threads > 0 && iterations <= most_bits / static_cast<uint64_t>(threads);
  }

  // Only if is_possible(). Takes threads * iterations / 8 bytes, 64 more a thread at most.
  ScheduleRecorder(int threads, uint64_t iterations);

  // Called by `thread`, 0 <= lo <= hi <= iterations. Each iteration once, by one thread.
  void ran(int thread, uint64_t lo, uint64_t hi);

 private:
  friend class Schedule;

  int threads_;
  uint64_t iterations_;
  std::size_t words_;  // of a thread; a multiple of a cache line's
  std::vector<uint64_t> bits_;
};

// Invariant: each iteration belongs to exactly one thread.
class Schedule {
 public:
  Schedule() = default;
  // What was recorded, once all threads are done (whoever calls has waited for them). The error: an
  // iteration that nobody ran, or that two did.
  static base::Result<Schedule> of(const ScheduleRecorder& record);

  int threads() const { return threads_; }
  uint64_t iterations() const { return iterations_; }
  // Of each thread, ascending; neighbours in one.
  std::vector<std::vector<Turns>> turns() const;
  // Which thread runs an iteration.
  int owner(uint64_t iteration) const;
  // Bits of the packed matrix.
  uint64_t packed_bits() const;

  // Text in lines: "xylem schedule 1", "threads T", "iterations N", "working P", P lines "THREAD
  // FIRST", then P lines of N - P bits in hexadecimal digits, the first bit the lowest of the first
  // digit, and "end". No line of digits where N = P.
  std::vector<char> text() const;
  void write(LineWriter& writer) const;
  static base::Result<Schedule> parse(std::string_view text);
  // The same from lines behind which there may be others.
  static base::Result<Schedule> read(LineReader& reader);

  bool operator==(const Schedule&) const = default;

 private:
  // By thread: its first iteration, or iterations_ if it has none.
  std::vector<uint64_t> firsts() const;

  int threads_ = 0;
  uint64_t iterations_ = 0;
  std::vector<int> owners_;  // by iteration
};

}  // namespace xylem::count
