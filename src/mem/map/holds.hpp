// Owns: that two operations on ranges that overlap come one after the other, however long they
// take: a move of gigabytes must not keep a lock.
//
// A hold is taken around each operation that changes where pages are. Whoever meets one that
// overlaps sleeps on its kernel thread, and never leaves its fiber. Invariant: no two holds in the
// list overlap. A thread takes one at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"
#include "base/lock_order.hpp"

namespace xylem::mem {

inline constexpr base::LockRank holds_rank{76, "holds_lock"};

class RangeHold {
 public:
  RangeHold(const void* start, size_t bytes);
  ~RangeHold();
  RangeHold(const RangeHold&) = delete;
  RangeHold& operator=(const RangeHold&) = delete;

  // Around fork(): the child has nobody who could end the holds of other threads, so it drops all.
  static void before_fork();
  static void after_fork(bool in_child);

 private:
  bool overlaps_another() const;

  uintptr_t start_, end_;
  RangeHold* next_ = nullptr;
};

}  // namespace xylem::mem
