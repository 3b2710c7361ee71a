// Owns: holds on ranges. See holds.hpp.
#include "mem/map/holds.hpp"

#include <atomic>

#include "base/spin_lock.hpp"
#include "os/futex.hpp"

namespace xylem::mem {

namespace {
constinit base::SpinLock holds_lock{holds_rank};
constinit RangeHold* first XYLEM_GUARDED_BY(holds_lock) = nullptr;
// Written under the lock when a hold ends; sleepers compare. relaxed: the futex orders the two, and
// who sleeps has read it under the lock.
constinit std::atomic<uint32_t> ended{0};
}  // namespace

bool RangeHold::overlaps_another() const XYLEM_NO_THREAD_ANALYSIS {
  for (const RangeHold* hold = first; hold; hold = hold->next_)
    if (hold->start_ < end_ && start_ < hold->end_) return true;
  return false;
}

RangeHold::RangeHold(const void* start, size_t bytes)
    : start_(reinterpret_cast<uintptr_t>(start)), end_(start_ + bytes) {
  for (;;) {
    uint32_t seen;
    {
      base::Locked locked(holds_lock);
      if (!overlaps_another()) {
        next_ = first;
        first = this;
        return;
      }
      seen = ended.load(std::memory_order_relaxed);
    }
    os::futex_wait(&ended, seen);
  }
}

RangeHold::~RangeHold() {
  {
    base::Locked locked(holds_lock);
    RangeHold** at = &first;
    while (*at && *at != this) at = &(*at)->next_;
    if (*at) *at = next_;
    ended.store(ended.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  os::futex_wake(&ended, __INT_MAX__);
}

void RangeHold::before_fork() XYLEM_NO_THREAD_ANALYSIS { holds_lock.lock(); }
void RangeHold::after_fork(bool in_child) XYLEM_NO_THREAD_ANALYSIS {
  if (in_child) first = nullptr;
  holds_lock.unlock();
}

}  // namespace xylem::mem
