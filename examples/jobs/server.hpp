// The server: jobs arrive, each is run by a team of its own, and they run at the same time.
#pragma once

#include <vector>

#include "job.hpp"

namespace jobs {

struct ServerOptions {
  int jobs = 8;
  int team = 4;
  double rate = 0;      // jobs that arrive in a second, on average; 0: all at once
  bool nested = false;  // teams inside one outer team, instead of one program thread a job
  int lanes = 0;        // threads of that outer team; 0: one a job
  std::uint64_t seed = 1;
};

std::uint64_t seed_of_job(const ServerOptions& options, int number);

// Runs all jobs to their ends.
std::vector<JobResult> serve(const Analysis& analysis, const ServerOptions& options);

}  // namespace jobs
