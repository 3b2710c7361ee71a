/* The OMP_* variables as the program sees them. Registered with OMP_NUM_THREADS=3,2
 * OMP_SCHEDULE=dynamic,5 OMP_THREAD_LIMIT=9 OMP_MAX_ACTIVE_LEVELS=2 OMP_DYNAMIC=false
 * OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=7 OMP_STACKSIZE=4M. */
#include <omp.h>

#include "expect.h"

static void getters(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  expect_equal("OMP_SCHEDULE kind", kind & 0xff, omp_sched_dynamic);
  expect_equal("OMP_SCHEDULE chunk", chunk, 5);
  expect_equal("OMP_THREAD_LIMIT", omp_get_thread_limit(), 9);
  expect_equal("OMP_MAX_ACTIVE_LEVELS", omp_get_max_active_levels(), 2);
  expect_equal("OMP_DYNAMIC", omp_get_dynamic(), 0);
  expect_equal("OMP_CANCELLATION", omp_get_cancellation(), 1);
  expect_equal("OMP_MAX_TASK_PRIORITY", omp_get_max_task_priority(), 7);
  expect_equal("OMP_NUM_THREADS", omp_get_max_threads(), 3);
}

static void thread_list(void) {
  int sizes[3] = {0, 0, 0};
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) sizes[0] = omp_get_num_threads();
    expect_equal("nthreads at level 1", omp_get_max_threads(), 2);
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) __atomic_store_n(&sizes[1], omp_get_num_threads(), 0);
#pragma omp parallel
      if (omp_get_thread_num() == 0) __atomic_store_n(&sizes[2], omp_get_num_threads(), 0);
    }
  }
  expect_equal("team at level 1", sizes[0], 3);
  expect_equal("team at level 2", sizes[1], 2);
  expect_equal("team past the active levels", sizes[2], 1);
}

static void thread_limit(void) {
  int members = 0;
#pragma omp parallel num_threads(32)
  add_one(&members);
  expect_between("team under OMP_THREAD_LIMIT", members, 1, 9);
}

static void stack_size(void) {
#pragma omp parallel
  {
    volatile char block[3 << 20];
    for (unsigned i = 0; i < sizeof block; i += 4096) block[i] = 1;
    expect_equal("3 MiB on a 4 MiB stack", block[0], 1);
  }
}

int main(void) {
  getters();
  thread_list();
  thread_limit();
  stack_size();
  return expect_result();
}
