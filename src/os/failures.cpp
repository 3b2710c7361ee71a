// Owns: counting calls that are to fail. See failures.hpp.
#include "os/failures.hpp"

#include <atomic>
#include <cerrno>

#include "base/report.hpp"

namespace xylem::os {

namespace {
// Relaxed: numbers; who fails is decided by the count alone.
constinit std::atomic<long> calls{0};
constinit std::atomic<long> first_to_fail{0};
constinit std::atomic<long> last_to_fail{0};
constexpr long for_ever = __LONG_MAX__;
}  // namespace

void inject_failure(long nth, bool all_after) {
  const long first = nth > 0 ? calls.load(std::memory_order_relaxed) + nth : 0;
  last_to_fail.store(all_after && nth > 0 ? for_ever : first, std::memory_order_relaxed);
  first_to_fail.store(first, std::memory_order_relaxed);
}

long counted_calls() { return calls.load(std::memory_order_relaxed); }

int count_call() {
  const long call = calls.fetch_add(1, std::memory_order_relaxed) + 1;
  const long first = first_to_fail.load(std::memory_order_relaxed);
  if (first == 0 || call < first || call > last_to_fail.load(std::memory_order_relaxed)) return 0;
  base::warn_once("call %ld for memory, a policy or a move fails, as XYLEM_FAIL_CALL asks", call);
  return -ENOMEM;
}

}  // namespace xylem::os
