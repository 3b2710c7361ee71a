/* Reductions over tasks: task_reduction on a taskgroup, the task modifier on parallel, for and
 * sections, nested in_reduction, arrays, and several variables at once. */
#include <omp.h>

#include "expect.h"

static long group_total;

static void add_down(int depth) {
#pragma omp task in_reduction(+ : group_total)
  {
    group_total += depth;
    if (depth > 0) {
      add_down(depth - 1);
      add_down(depth - 1);
    }
  }
}

static void recursive(int members) {
  group_total = 7;
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : group_total)
  add_down(8);
  long expected = 7;
  for (int depth = 8, count = 1; depth >= 0; depth--, count *= 2) expected += (long)depth * count;
  expect_equal("recursive in_reduction", group_total, expected);
}

static void on_parallel(int members) {
  long sum = 0;
  int most = 0;
#pragma omp parallel num_threads(members) reduction(task, + : sum) reduction(task, max : most)
  {
    sum += 1000;
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum) in_reduction(max : most) firstprivate(i)
      {
        sum += i;
        if (most < i) most = i;
      }
    }
  }
  expect_equal("reduction(task) on parallel", sum, (long)members * 1045);
  expect_equal("its maximum", most, 9);
}

static void on_loop(int members) {
  long sum = 0;
#pragma omp parallel num_threads(members)
#pragma omp for reduction(task, + : sum) schedule(dynamic)
  for (int i = 0; i < 50; i++) {
    sum += 1;
#pragma omp task in_reduction(+ : sum)
    sum += 100;
  }
  expect_equal("reduction(task) on for", sum, 5050);
}

static void on_sections(int members) {
  long sum = 0;
#pragma omp parallel num_threads(members)
#pragma omp sections reduction(task, + : sum)
  {
#pragma omp section
    {
#pragma omp task in_reduction(+ : sum)
      sum += 3;
    }
#pragma omp section
    {
#pragma omp task in_reduction(+ : sum)
      sum += 4;
      sum += 10;
    }
  }
  expect_equal("reduction(task) on sections", sum, 17);
}

static void arrays(int members) {
  int count[8] = {0};
  int total = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : count) task_reduction(+ : total)
  for (int i = 0; i < 400; i++) {
#pragma omp task in_reduction(+ : count) in_reduction(+ : total) firstprivate(i)
    {
      count[i % 8]++;
      total += 2;
    }
  }
  for (int i = 0; i < 8; i++) expect_equal("array task reduction", count[i], 50);
  expect_equal("and a scalar beside it", total, 800);
}

int main(void) {
  for (int members = 1; members <= 16; members += 5) {
    recursive(members);
    on_parallel(members);
    on_loop(members);
    on_sections(members);
    arrays(members);
  }
  return expect_result();
}
