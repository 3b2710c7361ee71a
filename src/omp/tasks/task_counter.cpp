// Owns: waiting for counted tasks. See task_counter.hpp.
#include "omp/tasks/task_counter.hpp"

#include "sched/sched.hpp"

namespace xylem::omp {

void TaskCounter::wake_if_asleep(uint64_t before) {
  if ((before & asleep) == 0) [[likely]]
    return;
  // acq_rel: pairs with fall_asleep(), for `waiter_`
  if ((word_.fetch_and(~asleep, std::memory_order_acq_rel) & asleep) != 0)
    sched::make_ready(*waiter_);
}

void TaskCounter::begin_one(State state) {
  const uint64_t added = state == State::queued ? one + one_queued : one;
  // relaxed: the lock under which the task becomes findable orders it
  const uint64_t before = word_.fetch_add(added, std::memory_order_relaxed);
  if (state == State::queued) wake_if_asleep(before);
}

void TaskCounter::queue_one() {
  wake_if_asleep(word_.fetch_add(one_queued, std::memory_order_relaxed));  // as in begin_one()
}

bool TaskCounter::end_one() {
  const uint64_t before = word_.fetch_sub(one, std::memory_order_acq_rel);
  if (outstanding_in(before) != 1) return false;
  wake_if_asleep(before);
  return (before & closed) != 0;
}

bool TaskCounter::close() {
  // acq_rel: the last one sees what all others wrote, the caller too
  return outstanding_in(word_.fetch_or(closed, std::memory_order_acq_rel)) == 0;
}

void TaskCounter::tell() {
  wake_if_asleep(word_.fetch_or(changed, std::memory_order_release));  // pairs with clear_changed()
}

// The waiter is off its stack. With a reason it sets no `asleep`: nobody else may wake the fiber
// then.
void TaskCounter::fall_asleep(void* raw) {
  auto& awaited = *static_cast<TaskCounter*>(raw);
  uint64_t seen = awaited.word_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
  do {
    if (is_reason(seen)) return sched::make_ready(*awaited.waiter_);
  } while (!awaited.word_.compare_exchange_weak(seen, seen | asleep, std::memory_order_acq_rel,
                                                std::memory_order_relaxed));
}

void TaskCounter::sleep() {
  waiter_ = sched::current_thread();
  sched::suspend(fall_asleep, this, trace::Reason::taskwait);
}

}  // namespace xylem::omp
