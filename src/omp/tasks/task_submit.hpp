// Owns: tasks whose blocks the program asks for and fills in before it submits them (Clang's door).
//
// One block, never copied: |SubmittedTask|data, whose layout the compiler fixes|. A task is made
// (new_task), filled in, and then either submitted, or run by the program itself between
// begin_undeferred() and end_undeferred(). After that the block is the runtime's: it goes with the
// complete task.
//
// An untied task is a function that runs one part of the task at each call, and submits the task
// once more (submit_next_part) before it returns, unless it was the last part. The next part may
// run elsewhere before the one before it has returned. Conservation:
//   open_parts == calls of the function that have not returned, plus 1 while a part is queued
// Who brings it to 0 ends the task.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "omp/tasks/depend.hpp"
#include "omp/tasks/task_explicit.hpp"

namespace xylem::omp {

struct SubmittedTask : ExplicitTask {
  bool has_priority = false;  // the program writes its priority clause into the data
  // acq_rel where it falls: who ends the task sees what all parts wrote. relaxed where it grows: by
  // a part that is counted itself.
  std::atomic<uint32_t> open_parts{1};
  void (*destroy)(void* data) = nullptr;  // what the program put into the block; null: nothing

  // The event of its detach clause, made if need be; before it is submitted.
  Event& own_event();
  void destroy_by(void (*destructor)(void* data)) {
    destroy = destructor;
    at_return |= AtReturn::destructors;
  }
  void allow_parts() { at_return |= AtReturn::parts; }

  bool has(uint8_t what) const { return (at_return & what) != 0; }
  // A part has returned: true if it was the last.
  bool end_part() { return open_parts.fetch_sub(1, std::memory_order_acq_rel) == 1; }
};

// From the begin of the block to its data, which so begins at a cache line.
inline constexpr size_t submitted_data_offset = (sizeof(SubmittedTask) + 63) / 64 * 64;
static_assert(submitted_data_offset <= 192, "a small task and its data are to fit into 256 bytes");

// A new task with `bytes` bytes of data behind it, not initialised. `function` is called with them.
SubmittedTask& new_task(void (*function)(void* data), size_t bytes);
// One more with the data and the properties of one that was not submitted. No event of its own.
SubmittedTask& new_task_like(const SubmittedTask& pattern);
// The task that the data belongs to.
inline SubmittedTask& task_with(void* data) {
  return *reinterpret_cast<SubmittedTask*>(static_cast<char*>(data) - submitted_data_offset);
}

// `priority` is the clause until then. As create_task(): runs the task now, or when its dependences
// are met, or discards it.
void submit_task(Member& member, SubmittedTask& task, DependList dependences);
// By the function of an untied task, as its last deed.
void submit_next_part(Member& member, SubmittedTask& task);

// Around a call of the task's function by the program itself.
void begin_undeferred(Member& member, SubmittedTask& task);
void end_undeferred(Member& member, SubmittedTask& task);
// The same with the call.
void run_undeferred(Member& member, SubmittedTask& task);

// The steps of an undeferred task; a deferred one's parts are called where tasks are run
// (task.cpp).

// All parts, or those after the first.
void call_parts(SubmittedTask& task);
void call_parts_left(SubmittedTask& task);
// Its end.
void leave_undeferred(Member& member, SubmittedTask& task);

// In place of all that.
void discard(SubmittedTask& task);

}  // namespace xylem::omp
