// Owns: the crew: the threads that run ready tasks, and the queue from which they take them.
//
// While there is work the crew is a team of a parallel region: a kernel thread of the crew's own
// opens it, waits in its join, and its other members are the processors. Devices have kernel
// threads of their own (device_threads.hpp), which come and go with the region. So codelets and
// OpenMP teams share the same workers by the same queues. When all executors have found nothing for
// as long as an idle worker looks for work, the region ends, and a while later the kernel thread,
// too: then codelets cost nothing. The file crew.cpp has the proof that no task is left.
#pragma once

#include <memory>

#include "hetero/policy/policy.hpp"
#include "hetero/tasks/task.hpp"

namespace xylem::hetero {

// What the upper layer does for the crew.
struct Upper {
  // Opens a region of so many threads on the calling kernel thread, has each member call
  // body(member, members), and returns when all have. There may be fewer.
  void (*run_team)(int members, void (*body)(int member, int members)) = nullptr;
  // Calls the codelet's function, and returns what it returns. Its regions have so many threads, or
  // as many as they would have without codelets: 0. What it changes of OpenMP's settings ends with
  // it.
  int (*call)(const xylem_codelet& codelet, int threads, const xylem_view* views,
              void* argument) = nullptr;
};

// Once, after make_executors().
void start_crew(const PolicyKind& policy, const Upper& upper);

// Puts a ready task where the policy says, and sees that somebody will come for it.
void deal(Task& task);

// The same for a task that an executor has taken and could not run.
void deal_again(Task& task);

// The executor has done with a task that it took, of which the policy expected so much
// (Entry::expected_ns). Before who waits for a codelet's task goes on.
void tell_ended(int executor, double expected_ns);

// Ready tasks that nobody has taken; a number to go by.
int waiting_tasks();

// See Upper::call.
int call_on_processor(const xylem_codelet& codelet, int threads, const xylem_view* views,
                      void* argument);

// The executor whose task the calling thread runs; -1: none.
int current_executor();

// A forked child has no crew; what its parent's ran is lost.
void forget_crew_in_child();

}  // namespace xylem::hetero
