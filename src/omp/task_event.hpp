// Owns: events of tasks with a detach clause; omp_event_handle_t is the address of an Event.
//
// state goes from open to body_ended or to fulfilled; whoever comes second completes the task.
#pragma once

#include <atomic>
#include <cstdint>

namespace xylem::omp {

struct ExplicitTask;

struct Event {
  enum : uint32_t { open, body_ended, fulfilled };
  // acq_rel: the second to come sees what the first wrote.
  std::atomic<uint32_t> state{open};
  ExplicitTask* task = nullptr;  // null: an undeferred task, whose creator sleeps on `state`
};

// omp_fulfill_event, from any thread. The event does not live on.
void fulfill(Event& event);

// Suspends the calling fiber until the event of an undeferred task is fulfilled.
void wait_for_event(Event& event);

}  // namespace xylem::omp
