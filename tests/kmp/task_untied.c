/* Untied tasks: Clang makes each a function of parts, and every part but the first is a call of its
 * own, perhaps by another thread. */
#include <omp.h>
#include <sched.h>

#include "expect.h"

static int fib(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task untied shared(a)
  a = fib(n - 1);
#pragma omp task untied shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

/* One task with a part for each task that it makes, and its own variables across them. */
static void generator(int members, int deferred, int n) {
  long sum = 0, ran = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp task untied if (deferred) shared(sum, ran)
    {
      long kept = 0;
      for (int i = 0; i < n; i++) {
        kept += i;
#pragma omp task shared(ran)
        __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
        if (i % 7 == 0) {
#pragma omp taskyield
        }
        if (i % 50 == 49) {
#pragma omp taskwait
        }
      }
      sum = kept;
    }
#pragma omp taskwait
    expect_equal("what an untied task kept over its parts", sum, (long)n * (n - 1) / 2);
  }
  expect_equal("tasks of an untied task", ran, n);
}

/* Deep nesting and included tasks: no part waits for a later one of its own. */
static void included(int members) {
  long ran = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp task untied final(1) shared(ran)
    for (int i = 0; i < 100; i++) {
#pragma omp task untied shared(ran)
      {
        __atomic_fetch_add(&ran, omp_in_final(), __ATOMIC_RELAXED);
#pragma omp taskyield
        __atomic_fetch_add(&ran, omp_in_final(), __ATOMIC_RELAXED);
      }
    }
  }
  expect_equal("parts of included tasks", ran, 200);
}

/* The parts of many tasks, one of which no thread is held to: some move when their thread is busy.
 */
static void moves(void) {
  enum { n = 64 };
  int moved = 0, first_leaves = 0;
#pragma omp parallel num_threads(4) shared(moved)
#pragma omp single
  for (int i = 0; i < n; i++) {
#pragma omp task untied shared(moved, first_leaves) firstprivate(i)
    {
      const int before = omp_get_thread_num();
#pragma omp task if (i == 0) shared(first_leaves)
      __atomic_store_n(&first_leaves, 1, __ATOMIC_SEQ_CST);
#pragma omp taskyield
      if (omp_get_thread_num() != before) __atomic_fetch_add(&moved, 1, __ATOMIC_RELAXED);
    }
  }
  expect_between("tasks that moved between threads", moved, 0, n);
  expect_equal("the task that is run at once", first_leaves, 1);
}

/* Part follows part in a group, under a wait for the group, and with dependences around. */
static void in_groups(int members) {
  long done = 0, chain = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  for (int round = 0; round < 30; round++) {
#pragma omp taskgroup
    {
      for (int i = 0; i < 8; i++) {
#pragma omp task untied shared(done, chain) depend(inout : chain) priority(i)
        {
          chain++;
#pragma omp taskyield
          chain++;
#pragma omp task shared(done)
          __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
        }
      }
    }
    expect_equal("tasks of untied ones in a group", done, 8 * (round + 1));
    expect_equal("parts in a chain", chain, 16 * (round + 1));
  }
}

int main(void) {
  for (int members = 1; members <= 16; members = members * 2 + (members == 1)) {
    int result = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
    result = fib(16);
    expect_equal("fib", result, 987);
    generator(members, 1, 2000);
    generator(members, 0, 2000);
    included(members);
    in_groups(members);
  }
  generator(2, 0, 300000); /* parts are calls after each other, not inside each other */
  moves();
  return expect_result();
}
