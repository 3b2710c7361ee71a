/* taskyield: a member that waits for others by yielding lets them run, tasks that yield many times
 * all finish, and a task may wait for one that is created after it. */
#include <omp.h>

#include "expect.h"

static void yielding_tasks(int members) {
  int turns = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task untied
    for (int k = 0; k < 20; k++) {
      add_one(&turns);
#pragma omp taskyield
    }
  }
  expect_equal("turns of yielding tasks", turns, 1000);
}

static void members_wait_by_yield(int members) {
  int turn = 0;
#pragma omp parallel num_threads(members)
  for (int round = 0; round < 5; round++) {
    int mine = round * members + omp_get_thread_num();
    while (!became(&turn, mine)) {
#pragma omp taskyield
    }
    add_one(&turn);
  }
  expect_equal("turns handed round", turn, 5 * members);
}

static void outside(void) {
#pragma omp taskyield
  int done = 0;
#pragma omp task shared(done)
  {
#pragma omp taskyield
    done = 1;
  }
#pragma omp taskwait
  expect_equal("a task that yields outside a region", done, 1);
}

int main(void) {
  outside();
  for (int members = 1; members <= 16; members += 5) {
    yielding_tasks(members);
    members_wait_by_yield(members);
  }
  return expect_result();
}
