// How evenly jobs that run at the same time get on.
#pragma once

#include <vector>

#include "job.hpp"

namespace jobs {

// Jain's index of n numbers: (their sum)^2 / (n * sum of their squares). 1: all the same; 1/n: one
// has everything.
double jain_index(const std::vector<double>& numbers);

// The time in which jobs ran, cut into equal windows. In each: the index of what the jobs got done
// that ran during all of it. Windows with fewer than two such jobs do not count.
struct Fairness {
  int windows = 0;  // that count; 0: the others mean nothing
  double mean = 0;
  double least = 0;
};
Fairness fairness_of(const std::vector<JobResult>& results, int windows);

// The time in which all jobs ran, from the last start to the first end: what each of them got done,
// over the mean of all. 1: as much as the others; 0: nothing.
struct Shares {
  double seconds = 0;          // how long all ran
  std::vector<double> of_job;  // empty: never did all run, or they got nothing done
  double least() const;        // of `of_job`, which is not empty
  double most() const;
};
Shares shares_while_all_run(const std::vector<JobResult>& results);

}  // namespace jobs
