// Owns: the numbers that OpenMP threads are told apart by in the whole process.
//
// A worker has a range of numbers at hand and takes further ones from a counter that all share, so
// a team gets its numbers without a line that others write. A number comes again after 2^31
// threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace xylem::sched {

// Smaller ones belong to the first thread of the program and to the members of its outermost teams.
inline constexpr int first_shared_number = 1 << 20;

class ThreadNumbers {
 public:
  // The first of `count` numbers, 1 to first_shared_number, that nobody else is given.
  int take(int count) {
    if (end_ - next_ < count) [[unlikely]]
      take_range(count);
    const int first = next_;
    next_ += count;
    return first;
  }

 private:
  static constexpr uint32_t range = 4096;
  static constexpr uint32_t number_count = (1u << 31) - first_shared_number;

  void take_range(int count) {
    const uint32_t wanted = count > static_cast<int>(range) ? static_cast<uint32_t>(count) : range;
    uint64_t at;
    do {
      at = given.fetch_add(wanted, std::memory_order_relaxed) % number_count;  // only numbers
    } while (at + wanted > number_count);
    next_ = first_shared_number + static_cast<int>(at);
    end_ = next_ + static_cast<int>(wanted);
  }

  static inline constinit std::atomic<uint64_t> given{0};
  int next_ = 0;
  int end_ = 0;
};

}  // namespace xylem::sched
