// Owns: taskloop: dividing a loop's iterations over tasks.
#pragma once

#include <cstdint>

#include "omp/loops/loop_schedule.hpp"
#include "omp/tasks/task_create.hpp"

namespace xylem::omp {

struct SubmittedTask;

// At least one iteration.
struct LoopOfTasks {
  bool grouped = true;        // no nogroup clause
  bool by_grainsize = false;  // `amount` is the grainsize clause, else num_tasks (0: none)
  bool strict = false;        // the strict modifier
  uint64_t amount = 0;
  IterationSpace space;
};

// Tasks of the program's own making: one makes each from a pattern that is never submitted.
struct SubmittedLoop {
  SubmittedTask& pattern;
  SubmittedTask& (*make)(const SubmittedLoop& loop, const TaskRange& range, bool last);
  bool undeferred = false;
};
// Makes and submits the tasks; discards the pattern.
void run_taskloop(Member& member, const SubmittedLoop& tasks, const LoopOfTasks& loop);

// Creates the tasks, each a copy of `request` with a range of its own at request.range_at; with
// `grouped` waits for them.
void run_taskloop(Member& member, const TaskRequest& request, const LoopOfTasks& loop);

}  // namespace xylem::omp
