// Indices and shares of drawn jobs, whose values can be said in advance.
#include "fairness.hpp"

#include <cmath>
#include <cstdio>

namespace jobs {
namespace {

int wrong = 0;

void expect(const char* what, double found, double expected) {
  if (std::abs(found - expected) < 1e-12) return;
  std::fprintf(stderr, "%s: %.15g, expected %.15g\n", what, found, expected);
  ++wrong;
}

// Runs from `start` to `end`, evenly.
JobResult even(double start, double end) {
  JobResult job;
  job.start = start;
  job.end = end;
  job.history = {{start, 0}, {end, 1}};
  return job;
}

void test_index() {
  expect("index of equal numbers", jain_index({2, 2, 2}), 1);
  expect("index where one has all", jain_index({0, 5, 0, 0}), 0.25);
  expect("index of 1 and 3", jain_index({1, 3}), 0.8);
}

void test_fairness() {
  // Two windows: in the first both run, one three times as fast as it does in the second.
  JobResult slow = even(0, 2);
  slow.history = {{0, 0}, {1, 0.25}, {2, 1}};
  const Fairness both = fairness_of({slow, even(0, 2)}, 2);
  expect("windows", both.windows, 2);
  expect("least index", both.least, jain_index({0.25, 0.5}));
  expect("mean index", both.mean, (jain_index({0.25, 0.5}) + jain_index({0.75, 0.5})) / 2);
  expect("windows of jobs one after the other", fairness_of({even(0, 1), even(1, 2)}, 2).windows,
         0);
}

void test_shares() {
  // All run from 1 to 2: they do a half, a quarter and a quarter.
  const Shares shares = shares_while_all_run({even(0, 2), even(1, 5), even(-2, 2)});
  expect("how long all ran", shares.seconds, 1);
  expect("jobs with a share", static_cast<double>(shares.of_job.size()), 3);
  expect("the most", shares.most(), 1.5);
  expect("the least", shares.least(), 0.75);
  expect("the third", shares.of_job[2], 0.75);
  const Shares none = shares_while_all_run({even(0, 1), even(1, 2)});
  expect("shares of jobs one after the other", static_cast<double>(none.of_job.size()), 0);
}

}  // namespace
}  // namespace jobs

int main() {
  jobs::test_index();
  jobs::test_fairness();
  jobs::test_shares();
  return jobs::wrong == 0 ? 0 : 1;
}
