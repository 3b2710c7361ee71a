// Owns: the shares that a worker keeps for itself instead of showing them in a run queue: teams
// whose threads it starts sooner than anybody could who would have to be woken, or to fetch them.
//
// Only the worker itself puts shares in, so while it takes one out nobody else can; whoever wants
// them all, the monitor, gets them by one exchange. Nobody is told of what is kept: it must be
// short, and Pool::show_kept() puts it where all can see it when the worker does not come to it.
#pragma once

#include <atomic>

#include "sched/queue/run_queue.hpp"

namespace xylem::sched {

class HomeList {
 public:
  // A hint for all but the worker.
  bool empty() const { return first_.load(std::memory_order_relaxed) == nullptr; }

  // By the worker.
  void keep(Share& share) {
    share.next = take_all();
    first_.store(&share, std::memory_order_release);  // pairs with take_all()
  }

  // By the worker: the next seed of the share that came last. Empty if there is none.
  Work take() {
    if (empty()) return {};
    Share* share = take_all();
    if (!share) return {};
    const Work work{nullptr, share->bubble, share->lo++, false};
    Share* rest = share->lo < share->hi ? share : static_cast<Share*>(share->next);
    if (rest) first_.store(rest, std::memory_order_release);  // pairs with take_all()
    return work;
  }

  // All of them, linked by `next`; null if there are none.
  Share* take_all() { return first_.exchange(nullptr, std::memory_order_acquire); }

 private:
  std::atomic<Share*> first_{nullptr};
};

}  // namespace xylem::sched
