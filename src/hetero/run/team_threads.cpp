// Owns: counting processors that run tasks. See team_threads.hpp.
#include "hetero/run/team_threads.hpp"

#include <algorithm>
#include <atomic>

#include "hetero/run/crew.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/run/measured.hpp"

namespace xylem::hetero {

namespace {

// Relaxed, both: numbers to go by, which guard no memory.
constinit std::atomic<bool> counting{false};
alignas(64) constinit std::atomic<int> busy{0};  // threads that tasks have on processors

// It reads none of the lines that others write.
bool is_serial(const xylem_codelet& codelet) { return codelet.most_threads <= 1; }

int most_beside(const xylem_codelet& codelet, int busy_threads) {
  const int idle = processor_count() - 1 - busy_threads - waiting_tasks();
  return std::clamp(1 + idle, 1, codelet.most_threads);
}

int claim(const Task& task, bool measured) {
  int now = busy.load(std::memory_order_relaxed);
  for (;;) {
    const int most = is_serial(*task.codelet) ? 1 : most_beside(*task.codelet, now);
    const int threads = measured && most > 1 ? best_threads(task, most) : most;
    if (busy.compare_exchange_weak(now, now + threads, std::memory_order_relaxed)) return threads;
  }
}

}  // namespace

void begin_counting_threads() {
  if (!counting.load(std::memory_order_relaxed)) counting.store(true, std::memory_order_relaxed);
}

int most_threads_now(const xylem_codelet& codelet) {
  if (is_serial(codelet)) return 1;
  return most_beside(codelet, busy.load(std::memory_order_relaxed));
}

TeamThreads::TeamThreads(const Task& task, bool measured)
    : counted_(counting.load(std::memory_order_relaxed)),
      count_(counted_ ? claim(task, measured) : 1) {}

TeamThreads::~TeamThreads() {
  if (counted_) busy.fetch_sub(count_, std::memory_order_relaxed);
}

void forget_threads_in_child() { busy.store(0, std::memory_order_relaxed); }

}  // namespace xylem::hetero
