// jobs: sparse LU factorisations on demand, many teams at the same time. See README.md.
#include <omp.h>

#include <algorithm>
#include <ctime>

#include "matrix_market.hpp"
#include "options.hpp"
#include "report.hpp"

namespace jobs {
namespace {

constexpr int fairness_windows = 20;

Matrix matrix_of(const Options& options) {
  if (!options.matrix.empty()) return read_matrix_market(options.matrix);
  return grid_matrix(options.size, options.dimensions, options.server.seed);
}

// Job 0 alone, by one thread: the better of two runs.
JobResult run_alone(const Analysis& analysis, const Options& options) {
  JobResult results[2];
  for (JobResult& result : results) {
    Job job(analysis, seed_of_job(options.server, 0));
    result = job.run(1);
  }
  const bool first = results[0].end - results[0].start < results[1].end - results[1].start;
  return results[first ? 0 : 1];
}

double process_cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// 0: the results can be trusted.
int run(const Options& options) {
  if (omp_get_max_active_levels() < 2) omp_set_max_active_levels(2);
  const Analysis analysis = analyse(matrix_of(options), options.block);
  const JobResult alone = run_alone(analysis, options);
  Result result;
  result.alone = alone.end - alone.start;
  const double cpu_start = process_cpu_seconds();
  result.jobs = serve(analysis, options.server);
  result.cpu_seconds = process_cpu_seconds() - cpu_start;
  result.same_bits = result.jobs.front().checksum == alone.checksum;
  result.fairness = fairness_of(result.jobs, fairness_windows);
  result.shares = shares_while_all_run(result.jobs);
  options.json ? print_json(options, analysis, result) : print_table(options, analysis, result);
  return is_right(result) ? 0 : 1;
}

}  // namespace
}  // namespace jobs

int main(int argc, char** argv) { return jobs::run_by_options(argc, argv, jobs::run); }
