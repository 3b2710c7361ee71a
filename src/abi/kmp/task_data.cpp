// Owns: making tasks for Clang's compiled code. See task_data.hpp.
#include "abi/kmp/task_data.hpp"

namespace xylem::abi::kmp {

namespace {

constexpr size_t shared_alignment = 16;

ThreadNumber own_number() { return number_of(omp::current_member()); }

// A taskwait with dependences and nowait is a task without a routine.
void call_routine(void* data) {
  if (const TaskRoutine routine = static_cast<TaskData*>(data)->routine)
    routine(own_number(), data);
}

void call_destructors(void* data) {
  static_cast<TaskData*>(data)->destructors.destructors(own_number(), data);
}

}  // namespace

TaskData& new_task_data(const TaskShape& shape) {
  const size_t shared_at = (shape.bytes + shared_alignment - 1) & ~(shared_alignment - 1);
  omp::SubmittedTask& task = omp::new_task(call_routine, shared_at + shape.shared_bytes);
  task.final = shape.flags & task_flags::final;
  task.has_priority = shape.flags & task_flags::priority;
  if (shape.flags & task_flags::destructors) task.destroy_by(call_destructors);
  if (!(shape.flags & task_flags::tied)) task.allow_parts();
  if (shape.flags & task_flags::proxy) task.own_event();
  TaskData& data = data_of(task);
  data.shared = shape.shared_bytes > 0 ? static_cast<char*>(task.data) + shared_at : nullptr;
  data.routine = shape.routine;
  data.part = 0;
  return data;
}

}  // namespace xylem::abi::kmp
