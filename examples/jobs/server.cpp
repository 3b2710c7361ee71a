#include "server.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace jobs {
namespace {

// Seconds after the start at which each job arrives: exponential times between them.
std::vector<double> arrivals(const ServerOptions& options) {
  std::vector<double> times(options.jobs, 0);
  if (options.rate <= 0) return times;
  for (int n = 1; n < options.jobs; ++n)
    times[n] = times[n - 1] - std::log1p(-random_number(options.seed, 3, n)) / options.rate;
  return times;
}

void wait_until(double time) {
  const double left = time - now();
  if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
}

// The state of a server: job n arrives at arrival[n] and leaves results[n].
struct Server {
  const Analysis& analysis;
  const ServerOptions& options;
  std::vector<double> arrival;
  std::vector<JobResult> results;

  void run_job(int n) {
    Job job(analysis, seed_of_job(options, n));
    results[n] = job.run(options.team);
    results[n].arrival = arrival[n];
  }

  // Each job gets a program thread when it arrives, which opens the job's teams.
  void run_in_program_threads() {
    std::vector<std::thread> threads;
    for (int n = 0; n < options.jobs; ++n) {
      wait_until(arrival[n]);
      threads.emplace_back([this, n] { run_job(n); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  // The threads of one team take the jobs as they arrive, and open teams inside it.
  void run_in_outer_team() {
    std::atomic<int> next{0};
    const int lanes = options.lanes > 0 ? options.lanes : options.jobs;
#pragma omp parallel num_threads(lanes)
    for (int n = next.fetch_add(1); n < options.jobs; n = next.fetch_add(1)) {
      wait_until(arrival[n]);
      run_job(n);
    }
  }
};

}  // namespace

std::uint64_t seed_of_job(const ServerOptions& options, int number) {
  return options.seed * 1000003 + number;
}

std::vector<JobResult> serve(const Analysis& analysis, const ServerOptions& options) {
  Server server{analysis, options, arrivals(options), std::vector<JobResult>(options.jobs)};
  const double start = now();
  for (double& time : server.arrival) time += start;
  if (options.nested)
    server.run_in_outer_team();
  else
    server.run_in_program_threads();
  return std::move(server.results);
}

}  // namespace jobs
