// Owns: fulfilling events. See task_event.hpp.
#include "omp/tasks/task_event.hpp"

#include "omp/tasks/task_explicit.hpp"
#include "omp/team/team.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

void fulfill(Event& event) {
  ExplicitTask* task = event.task;  // before the exchange: the task's side may free the event then
  const uint32_t before = event.state.exchange(Event::fulfilled, std::memory_order_acq_rel);
  if (before == Event::open) return;  // the task's side completes it
  if (before == Event::awaited) return sched::wake_all(&event.state);  // who wakes frees it
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
  if (event.state.exchange(Event::awaited, std::memory_order_acq_rel) != Event::fulfilled) {
    // acquire: pairs with fulfill()
    while (event.state.load(std::memory_order_acquire) != Event::fulfilled)
      sched::wait_on(&event.state, Event::awaited);
  }
  delete &event;
}

}  // namespace xylem::omp
