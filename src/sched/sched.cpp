// Owns: what of the scheduler's door is not inline. See sched.hpp.
#include "sched/sched.hpp"

#include "os/clock.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/parting.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

struct Leaving {
  void (*left)(void* argument);
  void* argument;
};

// AfterSwitch of suspend(): once `left` is called the frame that holds `raw` may be gone.
void call_left(Worker&, void* raw) {
  const Leaving leaving = *static_cast<Leaving*>(raw);
  leaving.left(leaving.argument);
}

}  // namespace

Thread& this_thread() { return this_fiber(); }
void sleep_in_waits() { this_fiber().worker->sleeps_at_once = true; }

void go_to_own_processor() {
  const Fiber& self = this_fiber();
  Worker& worker = *self.worker;
  if (!worker.pool || worker.pool->machine().synthetic()) return;
  if (worker.external && !worker.is_home_of(self)) return;
  ask_to_go_home(worker);
  part_if_asked(worker);
}

void suspend(void (*left)(void* argument), void* argument, trace::Reason reason) {
  Leaving leaving{left, argument};
  suspend(call_left, &leaving, reason);
}

// While threads compete for processors another one needs the time.
int InPlace::free_turns_alone() const {
  return worker_.pool && worker_.pool->spin_ns() == 0 ? 0 : free_turns;
}

bool InPlace::has_time() {
  Pool& pool = *worker_.pool;
  if (pool.anything_to_steal(worker_)) return false;
  const int64_t now = os::now_ns();
  if (until_ns_ == 0) until_ns_ = now + pool.spin_ns();
  return now < until_ns_;
}

}  // namespace xylem::sched
