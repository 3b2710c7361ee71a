/* What the caller is inside of: explicit tasks, cancelled constructs. Registered with
 * OMP_CANCELLATION=true. */
#include <omp.h>

#include "expect.h"

int omp_in_explicit_task_(void); /* Fortran's name */
int kmp_get_cancellation_status(int kind);

static void explicit_tasks(void) {
  expect_equal("omp_in_explicit_task outside", omp_in_explicit_task(), 0);
#pragma omp parallel num_threads(2)
  {
    expect_equal("omp_in_explicit_task in an implicit task", omp_in_explicit_task_(), 0);
#pragma omp master
    {
#pragma omp task
      expect_equal("omp_in_explicit_task", omp_in_explicit_task(), 1);
#pragma omp task if (0)
      expect_equal("omp_in_explicit_task, undeferred", omp_in_explicit_task_(), 1);
    }
  }
}

enum { cancel_parallel = 1 }; /* libomp's number */

static void cancellation(void) {
  int seen[2] = {-1, -1};
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      seen[0] = kmp_get_cancellation_status(cancel_parallel);
#pragma omp cancel parallel
    }
    while (!kmp_get_cancellation_status(cancel_parallel)) {
    }
    seen[1] = kmp_get_cancellation_status(0);
  }
  expect_equal("kmp_get_cancellation_status before", seen[0], 0);
  expect_equal("kmp_get_cancellation_status of nothing", seen[1], 0);
}

int main(void) {
  explicit_tasks();
  cancellation();
  return expect_result();
}
