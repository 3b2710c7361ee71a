// Owns: creating tasks: deferring them, or running them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "omp/tasks/depend.hpp"
#include "omp/tasks/task.hpp"

namespace xylem::omp {

struct Event;
struct Member;

// A task with more outstanding children for each thread of its team runs further ones itself.
inline constexpr uint32_t children_per_thread = 64;

// The iterations of one task of a taskloop: the loop variable's first value, and the one behind the
// last. 64 bits, signed or not.
struct TaskRange {
  uint64_t start, end;
};

// Where among its arguments, in bytes from their begin, such a task finds them.
struct RangeOffsets {
  size_t start = 0, end = 0;
  void put(void* arguments, const TaskRange& range) const {
    std::memcpy(static_cast<char*>(arguments) + start, &range.start, sizeof range.start);
    std::memcpy(static_cast<char*>(arguments) + end, &range.end, sizeof range.end);
  }
};

// A task construct as the program meets it.
struct TaskRequest {
  void (*function)(void*);
  void* data;                  // arguments: `size` bytes, to be aligned to `alignment`
  void (*copy)(void*, void*);  // copies them to its first argument; null: bytes
  size_t size;
  size_t alignment;
  bool undeferred = false;  // if(0)
  bool final = false;
  int priority = 0;  // the clause; OMP_MAX_TASK_PRIORITY may leave less of it
  DependList dependences = {};
  Event* event = nullptr;            // detach: new, its handle with the program already; null: none
  const TaskRange* range = nullptr;  // of a taskloop's task: written to its arguments
  RangeOffsets range_at = {};        // where
};

// False if the task is discarded, because it is cancelled; then `event` is still the caller's.
bool create_task(Member& member, const TaskRequest& request);

// True if the task that the member runs creates no more: it is cancelled.
bool is_cancelled_around(const Member& member);
inline bool new_tasks_are_discarded(const Member& member) {
  return globals().cancellation && is_cancelled_around(member);
}

// For running tasks at once, one after the other, each as a child of the member's current task.
class UndeferredTask {
 public:
  UndeferredTask(Member& member, bool final);
  void run(const TaskRequest& request);

 private:
  Member& member_;
  Task task_;
};

}  // namespace xylem::omp
