// Owns: the seed ranges that a worker keeps for itself instead of showing them in a run queue:
// teams whose threads it starts sooner than anybody could who would have to be woken, or to fetch
// them.
//
// Only the worker itself puts seed ranges in, so while it takes one out nobody else can; whoever
// wants them all, the monitor, gets them by one exchange. Nobody is told of what is kept: it must
// be short, and Pool::publish_private() puts it where all can see it when the worker does not come
// to it.
#pragma once

#include <atomic>

#include "sched/queue/run_queue.hpp"

namespace xylem::sched {

class PrivateQueue {
 public:
  // A hint for all but the worker.
  bool empty() const { return first_.load(std::memory_order_relaxed) == nullptr; }

  // By the worker.
  void keep(SeedRange& seeds) {
    seeds.next = take_all();
    first_.store(&seeds, std::memory_order_release);  // pairs with take_all()
  }

  // By the worker: the next seed of the seed range that came last. Empty if there is none.
  Work take() {
    if (empty()) return {};
    SeedRange* seeds = take_all();
    if (!seeds) return {};
    const Work work{nullptr, seeds->bubble, seeds->lo++, false};
    SeedRange* rest = seeds->lo < seeds->hi ? seeds : static_cast<SeedRange*>(seeds->next);
    if (rest) first_.store(rest, std::memory_order_release);  // pairs with take_all()
    return work;
  }

  // All of them, linked by `next`; null if there are none.
  SeedRange* take_all() { return first_.exchange(nullptr, std::memory_order_acquire); }

 private:
  std::atomic<SeedRange*> first_{nullptr};
};

}  // namespace xylem::sched
