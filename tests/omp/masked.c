/* The master and masked constructs: who runs the block, and that neither implies a barrier. */
#include <omp.h>

#include "expect.h"

static void master_runs_once(void) {
  int ran = 0;
  int who = -1;
#pragma omp parallel num_threads(5)
  {
#pragma omp master
    {
      add_one(&ran);
      who = omp_get_thread_num();
    }
  }
  expect_equal("times master ran", ran, 1);
  expect_equal("who ran master", who, 0);
}

static void masked_filter(void) {
  int ran = 0;
  int sum = 0;
#pragma omp parallel num_threads(5)
  {
    for (int turn = 0; turn < 5; turn++) {
#pragma omp masked filter(turn)
      {
        add_one(&ran);
#pragma omp atomic
        sum += omp_get_thread_num() * (turn + 1);
      }
    }
#pragma omp masked filter(99)
    add_one(&ran);
#pragma omp masked
    expect_equal("who runs masked", omp_get_thread_num(), 0);
  }
  expect_equal("times masked ran", ran, 5);
  expect_equal("who ran each masked block", sum, 0 * 1 + 1 * 2 + 2 * 3 + 3 * 4 + 4 * 5);
}

static void filter_by_thread(void) {
  int ran = 0;
#pragma omp parallel num_threads(4)
#pragma omp masked filter(omp_get_thread_num())
  add_one(&ran);
  expect_equal("times masked ran with one's own number", ran, 4);
}

static void no_barrier(void) {
  int passed = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp master
    while (load(&passed) < 3) {
#pragma omp taskyield
    }
    if (omp_get_thread_num() != 0) add_one(&passed);
  }
  expect_equal("members that passed the master block", passed, 3);
}

int main(void) {
  for (int turn = 0; turn < 100; turn++) {
    master_runs_once();
    masked_filter();
    filter_by_thread();
  }
  no_barrier();
  return expect_result();
}
