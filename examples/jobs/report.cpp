#include "report.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace jobs {
namespace {

// The file of the OpenMP runtime that serves this process.
const char* runtime_file() {
  Dl_info info{};
  void* const routine = dlsym(RTLD_DEFAULT, "omp_get_num_threads");
  return routine != nullptr && dladdr(routine, &info) != 0 ? info.dli_fname : "";
}

double wall(const JobResult& job) { return job.end - job.start; }

// What all jobs have in common.
struct Summary {
  double least_speedup = 0;
  double mean_speedup = 0;
  double most_speedup = 0;
  double seconds = 0;        // from the first arrival to the last end
  double total_speedup = 0;  // one thread's time for all jobs over that
  double largest_residual = 0;
  int smallest_team = 0;
};

Summary summary_of(const Result& result) {
  Summary s;
  s.least_speedup = INFINITY;
  s.smallest_team = result.jobs.front().team_made;
  double end = 0;
  for (const JobResult& job : result.jobs) {
    const double speedup = result.alone / wall(job);
    s.least_speedup = std::min(s.least_speedup, speedup);
    s.most_speedup = std::max(s.most_speedup, speedup);
    s.mean_speedup += speedup / static_cast<double>(result.jobs.size());
    // NaN must be seen.
    if (!(job.residual <= s.largest_residual)) s.largest_residual = job.residual;
    s.smallest_team = std::min(s.smallest_team, job.team_made);
    end = std::max(end, job.end);
  }
  s.seconds = end - result.jobs.front().arrival;
  s.total_speedup = result.alone * static_cast<double>(result.jobs.size()) / s.seconds;
  return s;
}

void print_fairness(const Fairness& fairness) {
  if (fairness.windows == 0)
    std::printf("fairness: never did two jobs run side by side for long enough\n");
  else
    std::printf("fairness (Jain's index of progress): mean %.3f, least %.3f, in %d windows\n",
                fairness.mean, fairness.least, fairness.windows);
}

void print_shares(const Shares& shares) {
  if (shares.of_job.empty())
    std::printf("shares of progress: never did all jobs run\n");
  else
    std::printf("shares of progress while all jobs ran (%.3f s): %.2f to %.2f of an even one\n",
                shares.seconds, shares.least(), shares.most());
}

void print_job(int number, const Result& result) {
  const JobResult& job = result.jobs[number];
  std::printf("%4d %9.3f %9.3f %9.3f %9.3f %9.2f %10.1e\n", number,
              job.arrival - result.jobs.front().arrival, job.start - job.arrival, wall(job),
              job.cpu_seconds, result.alone / wall(job), job.residual);
}

void print_job_json(const Result& result, std::size_t number) {
  const JobResult& job = result.jobs[number];
  std::printf("{\"arrival\": %.6f, \"wait_seconds\": %.6f, \"wall_seconds\": %.6f, ",
              job.arrival - result.jobs.front().arrival, job.start - job.arrival, wall(job));
  std::printf("\"cpu_seconds\": %.6f, \"speedup\": %.4f, \"team_made\": %d, ", job.cpu_seconds,
              result.alone / wall(job), job.team_made);
  if (!result.shares.of_job.empty()) std::printf("\"share\": %.4f, ", result.shares.of_job[number]);
  std::printf("\"refinements\": %d, \"replaced_pivots\": %d, ", job.refinements,
              job.replaced_pivots);
  // JSON has no NaN.
  std::printf("\"residual\": %.3e, \"checksum\": \"%016llx\"}",
              std::isfinite(job.residual) ? job.residual : 1e300,
              static_cast<unsigned long long>(job.checksum));
}

}  // namespace

bool is_right(const Result& result) {
  return result.same_bits &&
         std::all_of(result.jobs.begin(), result.jobs.end(),
                     [](const JobResult& job) { return job.residual <= largest_residual; });
}

void print_table(const Options& options, const Analysis& analysis, const Result& result) {
  const Summary s = summary_of(result);
  std::printf(
      "matrix: %d rows, %zu entries; factors: %ld values in %d blocks, %zu levels, %.0f Mflop\n",
      analysis.matrix.size, analysis.matrix.value.size(), analysis.memory, analysis.blocks(),
      analysis.levels.size(), 1e-6 * analysis.operations);
  std::printf("%d jobs in teams of %d (%s), on %s\n", options.server.jobs, options.server.team,
              options.server.nested ? "inside one outer team" : "one program thread a job",
              runtime_file());
  std::printf("one job alone on one thread: %.3f s\n\n", result.alone);
  std::printf(" job   arrival    waited      wall       cpu  speed-up   residual\n");
  for (int n = 0; n < options.server.jobs; ++n) print_job(n, result);
  std::printf("\nspeed-up of a job: %.2f to %.2f, mean %.2f; of all jobs together: %.2f\n",
              s.least_speedup, s.most_speedup, s.mean_speedup, s.total_speedup);
  print_fairness(result.fairness);
  print_shares(result.shares);
  std::printf("all jobs: %.3f s, processor time %.3f s with waiting\n", s.seconds,
              result.cpu_seconds);
  std::printf(is_right(result) ? "verified: every residual, and job 0 has the bits it had alone\n"
                               : "WRONG: a residual is too large, or job 0 has other bits\n");
}

void print_json(const Options& options, const Analysis& analysis, const Result& result) {
  const Summary s = summary_of(result);
  std::printf("{\"rows\": %d, \"entries\": %zu, \"factor_values\": %ld, \"blocks\": %d, ",
              analysis.matrix.size, analysis.matrix.value.size(), analysis.memory,
              analysis.blocks());
  std::printf("\"levels\": %zu, \"operations\": %.0f, \"jobs\": %d, \"team\": %d, ",
              analysis.levels.size(), analysis.operations, options.server.jobs,
              options.server.team);
  std::printf("\"nested\": %s, \"smallest_team_made\": %d, \"alone_seconds\": %.6f, ",
              options.server.nested ? "true" : "false", s.smallest_team, result.alone);
  std::printf("\"seconds\": %.6f, \"cpu_seconds\": %.6f, ", s.seconds, result.cpu_seconds);
  std::printf("\"speedup_least\": %.4f, \"speedup_mean\": %.4f, \"speedup_most\": %.4f, ",
              s.least_speedup, s.mean_speedup, s.most_speedup);
  std::printf("\"speedup_total\": %.4f, \"fairness_windows\": %d, ", s.total_speedup,
              result.fairness.windows);
  std::printf("\"fairness_mean\": %.4f, \"fairness_least\": %.4f, ", result.fairness.mean,
              result.fairness.least);
  if (!result.shares.of_job.empty())
    std::printf("\"share_seconds\": %.6f, \"share_least\": %.4f, \"share_most\": %.4f, ",
                result.shares.seconds, result.shares.least(), result.shares.most());
  std::printf("\"right\": %s, \"runtime\": \"%s\", \"each\": [",
              is_right(result) ? "true" : "false", runtime_file());
  for (std::size_t n = 0; n < result.jobs.size(); ++n) {
    if (n > 0) std::printf(", ");
    print_job_json(result, n);
  }
  std::printf("]}\n");
}

}  // namespace jobs
