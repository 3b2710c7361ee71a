#include "fairness.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace jobs {
namespace {

// The share that was done at this time, between the moments noted in proportion.
double done_at(const JobResult& job, double time) {
  const auto after = std::find_if(job.history.begin(), job.history.end(),
                                  [time](const Progress& p) { return p.time > time; });
  if (after == job.history.begin()) return 0;
  if (after == job.history.end()) return 1;
  const Progress& before = *(after - 1);
  const double passed = (time - before.time) / (after->time - before.time);
  return before.done + passed * (after->done - before.done);
}

std::vector<double> done_between(const std::vector<JobResult>& results, double from, double to) {
  std::vector<double> done;
  for (const JobResult& job : results)
    if (job.start <= from && job.end >= to) done.push_back(done_at(job, to) - done_at(job, from));
  return done;
}

}  // namespace

double jain_index(const std::vector<double>& numbers) {
  double sum = 0;
  double squares = 0;
  for (const double number : numbers) {
    sum += number;
    squares += number * number;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(numbers.size()) * squares) : 1;
}

Fairness fairness_of(const std::vector<JobResult>& results, int windows) {
  double begin = results.front().start;
  double end = results.front().end;
  for (const JobResult& job : results) {
    begin = std::min(begin, job.start);
    end = std::max(end, job.end);
  }
  Fairness fairness;
  fairness.least = 1;
  const double length = (end - begin) / windows;
  for (int w = 0; w < windows; ++w) {
    const auto done = done_between(results, begin + w * length, begin + (w + 1) * length);
    if (done.size() < 2) continue;
    const double index = jain_index(done);
    fairness.mean += index;
    fairness.least = std::min(fairness.least, index);
    ++fairness.windows;
  }
  if (fairness.windows > 0) fairness.mean /= fairness.windows;
  return fairness;
}

double Shares::least() const { return *std::min_element(of_job.begin(), of_job.end()); }
double Shares::most() const { return *std::max_element(of_job.begin(), of_job.end()); }

Shares shares_while_all_run(const std::vector<JobResult>& results) {
  double from = results.front().start;
  double to = results.front().end;
  for (const JobResult& job : results) {
    from = std::max(from, job.start);
    to = std::min(to, job.end);
  }
  if (from >= to) return {};
  std::vector<double> done = done_between(results, from, to);
  const double mean =
      std::accumulate(done.begin(), done.end(), 0.0) / static_cast<double>(done.size());
  if (!(mean > 0)) return {};
  for (double& share : done) share /= mean;
  return {to - from, std::move(done)};
}

}  // namespace jobs
