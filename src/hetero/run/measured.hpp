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

// Adds what the task took on the executor, in nanoseconds; on a processor with so many threads.
void record_time(const Task& task, int executor, double ns, int threads = 1);
// With how many threads of at most `most` the task takes least on processors, of all, a half, a
// quarter and so on; the most of which nothing is known yet.
int best_threads(const Task& task, int most);

// What the task is expected to take, in nanoseconds.
struct Expected {
  std::array<double, most_devices + 1> run_ns{};  // by kind of executor; 0: not known
  std::array<double, most_nodes> fetch_ns{};      // to bring its data to each memory node now
};
Expected expected_of(Task& task);

}  // namespace xylem::hetero
