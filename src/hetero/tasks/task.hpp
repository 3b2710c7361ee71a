// Owns: a task: its life from submission to its end, and who waits for it.
//
// Life: made (one reference for the tasks that know of it, one for the program if it wants it) ->
// told what it comes after -> ready, when `missing` is 0 -> run -> ended, which lets those go that
// come after it. What lets a task go may be any thread.
//
// Invariant: missing = predecessors that have not ended + 1 until the submission is complete.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/spin_lock.hpp"
#include "hetero/policy/policy.hpp"
#include "xylem/codelet.h"

namespace xylem::hetero {

class Handle;
struct Task;

// One access of a task.
struct Use {
  Handle* handle = nullptr;
  xylem_mode mode = xylem_read;
};

// That a task comes after the one in whose list it stands.
struct Edge {
  Task* to;
  Edge* next;
};

struct Task : Entry {
  const xylem_codelet* codelet = nullptr;  // null: `step` is what it does
  // Of a task of the runtime's own. 0, or an errno. Null, and no codelet: it only joins others.
  int (*step)(Task& task) = nullptr;
  bool step_at_once = false;  // `step` does not block: who makes the task ready runs it
  bool commutes = false;      // one of the uses does
  bool counted = true;        // wait_for_all() waits for it
  int error = 0;              // by who runs it, until it has ended
  void* argument = nullptr;
  void (*callback)(void*) = nullptr;
  void* callback_argument = nullptr;
  Use* uses = nullptr;
  int use_count = 0;
  uint32_t argument_bytes = 0;  // of the copy of the argument; 0: there is no copy
  // Its next task in the list of those that wait for a piece with which they commute.
  Task* next_waiting = nullptr;

  std::atomic<int> missing{1};     // by whoever submits or ends a task that it comes after
  std::atomic<int> references{1};  // acq_rel: who frees it comes after all others
  // 0: has not ended; 1: and somebody waits; 2: has ended. The program's waiters set 1, the end 2.
  std::atomic<uint32_t> ended{0};

  base::SpinLock lock{{42, "Task::lock"}};
  Edge* after_it XYLEM_GUARDED_BY(lock) = nullptr;
  bool closed XYLEM_GUARDED_BY(lock) = false;  // it has let go: nobody is told any more

  std::span<Use> all_uses() { return {uses, static_cast<size_t>(use_count)}; }
};

// A task with room for so many uses and a copy of so many bytes of argument, if there are any;
// null: out of memory. One reference is the caller's.
Task* make_task(int uses, const void* argument, size_t argument_bytes);
void hold(Task& task);
void let_go(Task& task);

// `later` runs after `earlier` has ended. Before the submission of `later` is complete.
void order(Task& earlier, Task& later);

// What happens with a task that is ready: it goes to an executor, or waits for those with which it
// commutes. Set once.
void set_dealer(void (*dealer)(Task& task));

// One of those that `task` comes after has ended, or its submission is complete. May run steps.
void one_less(Task& task);

// The task has run: tells its callback, lets go whoever comes after it, wakes whoever waits, and
// gives up the reference that the runtime had.
void end(Task& task);

// Suspends the caller until the task has ended.
void wait_for_end(Task& task);

// A task's submission begins: it counts for wait_for_all() until it ends.
void count(Task& task);
// Until no task that counts has not ended.
void wait_for_all();
// The first error of a task since the last call; 0: there was none.
int take_first_error();

// A forked child waits for none of its parent's.
void forget_tasks_in_child();

}  // namespace xylem::hetero
