// Owns: models of the codelets that the process runs, for policies that ask for them.
#pragma once

#include <array>

#include "hetero/data/coherence.hpp"
#include "hetero/tasks/task.hpp"

namespace xylem::hetero {

// Once, before the first task. With a path, what earlier processes measured is read from there, and
// what this one measures is kept there when it ends; "": neither.
void start_models(const char* path);
// A forked child has measured nothing yet.
void forget_models_in_child();

// Adds what the task took on the executor, in nanoseconds.
void record_time(const Task& task, int executor, double ns);
// What the task is expected to take there; 0: not known, or it is a task of the runtime's own.
double expected_time(const Entry& entry, int executor);
// What it takes to bring the task's data to each memory node now.
std::array<double, most_nodes> fetch_times(Task& task);

}  // namespace xylem::hetero
