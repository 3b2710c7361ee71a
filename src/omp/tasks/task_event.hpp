// Owns: events of tasks with a detach clause; omp_event_handle_t is the address of an Event.
//
// Two sides change the state once each: the program, by fulfilling it, and the task, when its body
// has ended or it was discarded (cancellation). Whoever comes second completes the task if that is
// left to do, and frees the event. The task itself goes when it is complete, so a fulfilment may
// come at any time. An event of a discarded task that is never fulfilled is never freed.
#pragma once

#include <atomic>
#include <cstdint>

namespace xylem::omp {

namespace tool {
struct TaskRecord;
}
struct ExplicitTask;

struct Event {
  enum : uint32_t { open, body_ended, awaited, discarded, fulfilled };
  // acq_rel: the second to come sees what the first wrote.
  std::atomic<uint32_t> state{open};
  ExplicitTask* task = nullptr;      // completed when its body has ended; else not used
  tool::TaskRecord* told = nullptr;  // the task's, if a tool was told of it
};

// omp_fulfill_event, from any thread. The event does not live on.
void fulfill(Event& event);

// The task's side: `how` it ended, body_ended or discarded. True if the task is still to wait for
// the event; then it may be complete and gone already.
bool end_before_event(Event& event, uint32_t how);

// The same of an undeferred task of GCC's, whose creator waits: suspends the calling fiber until
// the event is fulfilled. The event does not live on.
void wait_for_event(Event& event);

}  // namespace xylem::omp
