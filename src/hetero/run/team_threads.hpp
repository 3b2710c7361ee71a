// Owns: with how many threads a codelet's function runs on processors that opens parallel regions
// (xylem_codelet::most_threads): its own processor's, and those of processors with nothing else to
// do.
#pragma once

#include "hetero/tasks/task.hpp"

namespace xylem::hetero {

// A codelet of that kind is submitted: from here on processors that run tasks are counted. Before
// that nobody counts them, as the count is a line that all executors write.
void begin_counting_threads();

// With how many threads a task of the codelet would run now, at most.
int most_threads_now(const xylem_codelet& codelet);

// By who runs a task on a processor, as long as it does.
class TeamThreads {
 public:
  // `measured`: of the sizes that can be had the one that takes least by models; what was not
  // measured yet comes first.
  TeamThreads(const Task& task, bool measured);
  ~TeamThreads();
  TeamThreads(const TeamThreads&) = delete;
  TeamThreads& operator=(const TeamThreads&) = delete;
  int count() const { return count_; }

 private:
  const bool counted_;
  const int count_;
};

void forget_threads_in_child();

}  // namespace xylem::hetero
