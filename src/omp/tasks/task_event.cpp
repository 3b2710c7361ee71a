// Owns: fulfilling events. See task_event.hpp.
#include "omp/tasks/task_event.hpp"

#include "omp/tasks/task_explicit.hpp"
#include "omp/team/team.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

void fulfill(Event& event) {
  ExplicitTask* task = event.task;
  if (!task) {
    event.state.store(Event::fulfilled, std::memory_order_release);  // pairs with wait_for_event()
    sched::wake_all(&event.state);
    return;
  }
  const uint32_t before = event.state.exchange(Event::fulfilled, std::memory_order_acq_rel);
  if (before == Event::open) return;  // the task's side completes it
  if (before == Event::body_ended) {
    Team& team = *task->team;
    complete(*task, nullptr);
    release_region(team);  // held since the body ended
  }
  delete &event;
}

bool end_before_event(Event& event, uint32_t how) {
  if (event.state.exchange(how, std::memory_order_acq_rel) == Event::open) {
    return how == Event::body_ended;
  }
  delete &event;
  return false;
}

void wait_for_event(Event& event) {
  for (;;) {
    const uint32_t seen = event.state.load(std::memory_order_acquire);  // pairs with fulfill()
    if (seen == Event::fulfilled) return;
    sched::wait_on(&event.state, seen);
  }
}

}  // namespace xylem::omp
