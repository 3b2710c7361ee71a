// Owns: the waits of solo workers. See solo.hpp.
#include "sched/worker/solo.hpp"

#include "base/relax.hpp"
#include "os/futex.hpp"
#include "sched/worker/parting.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

namespace {

// Worker::solo_wait. Set by the worker itself before its fiber can be found, and back to `none` by
// the one who makes the fiber ready.
enum Wait : uint32_t { none, awake, asleep };

constexpr int spins_before_sleep = 2000;

// Where threads compete for processors a poll in place takes time that another one needs. Before
// the first region there is no pool.
int spins_of(const Worker& worker) {
  if (worker.sleeps_at_once) return 0;
  return worker.pool && worker.pool->spin_ns() == 0 ? 0 : spins_before_sleep;
}

// Returns when the fiber is ready. acquire: pairs with the release in wake_alone().
void sleep_until_ready(Worker& worker) {
  const int spins = spins_of(worker);
  for (int turn = 0; turn < spins; ++turn) {
    if (worker.solo_wait.load(std::memory_order_acquire) == none) return;
    base::relax();
  }
  uint32_t seen = awake;
  if (!worker.solo_wait.compare_exchange_strong(seen, asleep, std::memory_order_acquire)) return;
  while (worker.solo_wait.load(std::memory_order_acquire) == asleep)
    os::futex_wait(&worker.solo_wait, asleep);
  part_if_asked(worker);
}

}  // namespace

void wait_alone(Fiber& fiber, AfterSwitch after, void* argument) {
  Worker& worker = *fiber.worker;
  worker.solo_wait.store(awake, std::memory_order_relaxed);  // relaxed: `after` publishes the fiber
  after(worker, argument);
  sleep_until_ready(worker);
  activate(fiber, worker);
  trace::emit<traced::resumed>(worker, fiber);
}

bool wake_alone(Fiber& fiber) {
  Worker& worker = *fiber.worker;
  // relaxed: only the fiber itself ends `none`, and it did so before it could be found
  if (!worker.solo || worker.solo_wait.load(std::memory_order_relaxed) == none) return false;
  trace::emit<traced::woken_at_home>(fiber);
  // release: pairs with sleep_until_ready(). From here on the fiber may run, and the worker end.
  if (worker.solo_wait.exchange(none, std::memory_order_release) == asleep)
    os::futex_wake(&worker.solo_wait, 1);
  return true;
}

bool waits_alone(const Worker& worker) {
  return worker.solo_wait.load(std::memory_order_relaxed) != none;
}

}  // namespace xylem::sched
