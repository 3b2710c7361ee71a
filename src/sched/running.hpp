// Owns: what runs now, for those who ask where threads are. Answers are hints: they may be old.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/queue/group.hpp"

namespace xylem::sched {

// What a worker runs.
struct Running {
  int pu;                            // that the worker serves
  const std::atomic<int64_t>* time;  // where the thread's time is added up (Bubble::times); or null
  const Group* bubble;               // the innermost group that the thread belongs to; or null
  bool is_caller;                    // the worker runs who asks
};

// Calls visit(running, context) for each worker that serves a PU. Before the first region: for
// none.
void each_running(void (*visit)(const Running& running, void* context), void* context);

// Threads and seeds that wait in the queue of a level, counted up to `most`.
int waiting_on(int level, int most);

}  // namespace xylem::sched
