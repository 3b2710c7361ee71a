/* Recursive tasks: Fibonacci and an unbalanced tree by task and taskwait, from a single, a master
 * and from every member at once; tasks that create tasks in a chain; the count of all bodies. */
#include <omp.h>

#include "expect.h"

static int bodies;

static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a)
  {
    add_one(&bodies);
    a = fib(n - 1);
  }
#pragma omp task shared(b)
  {
    add_one(&bodies);
    b = fib(n - 2);
  }
#pragma omp taskwait
  return a + b;
}

static void from_single(int members) {
  bodies = 0;
  long result = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  result = fib(17);
  expect_equal("fib(17)", result, 1597);
  expect_equal("task bodies of fib(17)", bodies, 5166);
}

static void from_every_member(int members) {
#pragma omp parallel num_threads(members)
  expect_equal("fib(11) from each member", fib(11), 89);
}

static void chain(int left, int* reached) {
  if (left == 0) return;
#pragma omp task
  {
    add_one(reached);
    chain(left - 1, reached);
  }
}

static void barrier_ends_tasks(int members) {
  int reached = 0;
#pragma omp parallel num_threads(members)
  {
#pragma omp master
    chain(500, &reached);
#pragma omp barrier
    expect_equal("chain length at the barrier", load(&reached), 500);
  }
}

static void flat(int members, int tasks) {
  int ran = 0;
#pragma omp parallel num_threads(members)
#pragma omp for
  for (int i = 0; i < tasks; i++) {
#pragma omp task
    add_one(&ran);
  }
  expect_equal("flat tasks", ran, tasks);
}

static void outside_any_region(void) {
  int order = 0;
#pragma omp task shared(order)
  order = order * 10 + 1;
#pragma omp task shared(order)
  order = order * 10 + 2;
#pragma omp taskwait
  expect_equal("tasks outside a region run in order", order, 12);
  expect_equal("fib outside", fib(10), 55);
}

static long tree(unsigned seed, int depth) {
  unsigned children = depth == 0 ? 0 : (seed >> 16) % 5;
  long sums[5] = {0};
  for (unsigned i = 0; i < children; i++) {
#pragma omp task shared(sums) firstprivate(i)
    sums[i] = tree(seed * 1103515245u + 12345u + i * 77u, depth - 1);
  }
#pragma omp taskwait
  return 1 + sums[0] + sums[1] + sums[2] + sums[3] + sums[4];
}

static void unbalanced(int members) {
  long alone = tree(123456789u, 9);
  long together = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  together = tree(123456789u, 9);
  expect_equal("unbalanced tree", together, alone);
}

int main(void) {
  outside_any_region();
  int sizes[] = {1, 2, 4, 16, omp_get_max_threads()};
  for (int i = 0; i < 5; i++) {
    from_single(sizes[i]);
    from_every_member(sizes[i]);
    barrier_ends_tasks(sizes[i]);
    flat(sizes[i], 10000);
    unbalanced(sizes[i]);
  }
  return expect_result();
}
