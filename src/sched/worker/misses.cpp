// Owns: the event, and workers' counters of it. See misses.hpp.
#include "sched/worker/misses.hpp"

#include <optional>
#include <utility>

namespace xylem::sched {

namespace {

constinit std::optional<os::CountedEvent> counted;  // written once

// A worker's loop may go from one kernel thread to another (hosting.hpp).
void follow_thread(MissCounter& counter, int kernel_thread) {
  if (counter.kernel_thread == kernel_thread) return;
  counter.close();
  counter.kernel_thread = kernel_thread;
  counter.seen = MissCounter::nothing_seen;
  counter.handle = os::open_event_counter(*counted, kernel_thread);
}

}  // namespace

void count_misses(const os::CountedEvent& event) { counted = event; }
bool counts_misses() { return counted.has_value(); }

int64_t misses_since(Worker& worker) {
  MissCounter& counter = worker.misses;
  const int tid = worker.tid.load(std::memory_order_relaxed);
  if (tid == 0) return 0;
  follow_thread(counter, tid);
  const int64_t now = counter.handle < 0 ? -1 : os::read_event_counter(counter.handle);
  const int64_t before = std::exchange(counter.seen, now);
  return before < 0 || now < before ? 0 : now - before;
}

}  // namespace xylem::sched
