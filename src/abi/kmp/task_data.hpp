// Owns: what Clang's compiled code knows of a task, and how such a task is made.
//
// A task's data is |TaskData|what more the compiler keeps in it|variables that it shares|: the data
// behind an omp::SubmittedTask.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/kmp/kmp.hpp"
#include "omp/tasks/task_submit.hpp"

namespace xylem::abi::kmp {

// A part of a task, or its destructors. Called with the calling thread's number and the TaskData.
using TaskRoutine = int32_t (*)(ThreadNumber, void*);

union TaskWord {
  int32_t priority;
  TaskRoutine destructors;
};

struct TaskData {
  void* shared;  // addresses of what the task shares; null: nothing
  TaskRoutine routine;
  int32_t part;  // of an untied task: where its next part begins
  TaskWord destructors;
  TaskWord priority;
};
static_assert(sizeof(TaskData) == 40);

namespace task_flags {
inline constexpr int32_t tied = 0x01;
inline constexpr int32_t final = 0x02;
inline constexpr int32_t destructors = 0x08;
inline constexpr int32_t proxy = 0x10;  // its function starts what somebody else completes
inline constexpr int32_t priority = 0x20;
}  // namespace task_flags

// The arguments of the entry points that make tasks.
struct TaskShape {
  int32_t flags;        // task_flags; others mean nothing here
  size_t bytes;         // of TaskData and what the compiler keeps behind it
  size_t shared_bytes;  // of what `shared` points to
  TaskRoutine routine;
};

TaskData& new_task_data(const TaskShape& shape);

inline TaskData& data_of(const omp::SubmittedTask& task) {
  return *static_cast<TaskData*>(task.data);
}

// What the program wrote into the data and the runtime keeps itself: before the task is submitted.
inline void take_priority(omp::SubmittedTask& task) {
  if (task.has_priority) task.priority = data_of(task).priority.priority;
}

}  // namespace xylem::abi::kmp
