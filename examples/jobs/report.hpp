// What a run gave, as a table for people and as one line of JSON.
#pragma once

#include "fairness.hpp"
#include "options.hpp"

namespace jobs {

struct Result {
  double alone = 0;       // seconds of one job alone on one thread
  bool same_bits = true;  // job 0 has the bits that it had alone
  std::vector<JobResult> jobs;
  double cpu_seconds = 0;  // of the process while the jobs ran, waiting included
  Fairness fairness;
  Shares shares;
};

// A residual above this is no solution.
constexpr double largest_residual = 1e-10;

// Can all results be trusted?
bool is_right(const Result& result);

void print_table(const Options& options, const Analysis& analysis, const Result& result);
void print_json(const Options& options, const Analysis& analysis, const Result& result);

}  // namespace jobs
