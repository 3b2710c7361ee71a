/* Settings are what the process was started with: what it does to its environment afterwards,
 * before its first OpenMP call, changes nothing. */
#include <omp.h>
#include <stdlib.h>

#include "expect.h"

int main(void) {
  setenv("OMP_NUM_THREADS", "7", 1);
  setenv("OMP_MAX_ACTIVE_LEVELS", "5", 1);
  unsetenv("OMP_THREAD_LIMIT");
  expect_equal("OMP_NUM_THREADS set by the program", omp_get_max_threads(), 3);
  expect_equal("OMP_MAX_ACTIVE_LEVELS set by the program", omp_get_max_active_levels(), 2);
  expect_equal("OMP_THREAD_LIMIT unset by the program", omp_get_thread_limit(), 9);
  return expect_result();
}
