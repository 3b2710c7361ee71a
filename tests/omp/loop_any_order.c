/* schedule(dynamic) in any order and in the order of iterations: each iteration runs once, whatever
 * the number of threads, the chunk and the type; under monotonic each thread's iterations ascend;
 * a thread that is held up does not hold up what stands behind it. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

enum { most = 20000 };
static int ran[most];

static void each_once(int turns) {
  for (int i = 0; i < turns; i++) expect_equal("times an iteration ran", ran[i], 1);
  memset(ran, 0, sizeof ran);
}

static void any_order(int members, int turns, int chunk) {
#pragma omp parallel num_threads(members)
  {
#pragma omp for schedule(nonmonotonic : dynamic, chunk) nowait
    for (int i = turns - 1; i >= 0; i--) add_one(&ran[i]);
#pragma omp for schedule(nonmonotonic : dynamic, chunk)
    for (unsigned long long i = turns; i < 2ull * turns; i++) add_one(&ran[i]);
  }
  each_once(2 * turns);
}

static void in_order(int members, int turns) {
  omp_set_schedule(omp_sched_dynamic | omp_sched_monotonic, 3);
#pragma omp parallel num_threads(members)
  {
    int last = -1;
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < turns; i++) {
      expect_equal("iterations ascend", i > last, 1);
      last = i;
      add_one(&ran[i]);
    }
    last = -1;
#pragma omp for schedule(runtime)
    for (int i = 0; i < turns; i++) {
      expect_equal("iterations of a runtime schedule ascend", i > last, 1);
      last = i;
      add_one(&ran[turns + i]);
    }
  }
  each_once(2 * turns);
}

/* Who runs the last iteration runs nothing after it: compiled code takes the value from there. */
static void last_value(int members, int turns) {
  for (int round = 0; round < 200; round++) {
    int last = -1;
#pragma omp parallel for schedule(nonmonotonic : dynamic) num_threads(members) lastprivate(last)
    for (int i = 0; i < turns; i++) {
      last = i;
      add_one(&ran[i]);
    }
    expect_equal("lastprivate", last, turns - 1);
    each_once(turns);
  }
}

/* The first iteration waits for all others: somebody else must take what its thread had. */
static void one_is_held_up(int members, int turns) {
  int others = 0;
#pragma omp parallel for schedule(dynamic) num_threads(members)
  for (int i = 0; i < turns; i++) {
    add_one(&ran[i]);
    if (i > 0) {
#pragma omp atomic
      others++;
    } else {
      int seen = 0;
      while (seen < turns - 1) {
#pragma omp taskyield
#pragma omp atomic read
        seen = others;
      }
    }
  }
  each_once(turns);
}

static void cancelled(int members, int turns) {
  int count = 0;
#pragma omp parallel num_threads(members)
  for (int round = 0; round < 3; round++) {
#pragma omp for schedule(nonmonotonic : dynamic)
    for (int i = 0; i < turns; i++) {
#pragma omp atomic
      count++;
      if (round == 1 && i % 50 == 49) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
  const int least = omp_get_cancellation() ? 2 * turns + 1 : 3 * turns;
  expect_equal("iterations of cancelled loops", count >= least && count <= 3 * turns, 1);
}

int main(void) {
  static const int sizes[] = {1, 2, 3, 8, 33};
  for (int s = 0; s < 5; s++) {
    const int members = sizes[s];
    for (int chunk = 1; chunk <= 64; chunk *= 4)
      for (int turns = 1; turns < most / 2; turns = turns * 3 + 2) any_order(members, turns, chunk);
    in_order(members, 5000);
    last_value(members, 300);
    if (members > 1) one_is_held_up(members, 2000);
    cancelled(members, 3000);
  }
  return expect_result();
}
