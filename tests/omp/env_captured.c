/* Settings are what the process was started with: what it does to its environment afterwards,
 * before its first OpenMP call, changes nothing. In programs of Clang's it does, as libomp reads
 * them at the first call. */
#include <omp.h>
#include <stdlib.h>

#include "expect.h"

#ifdef __clang__
enum { threads = 7, levels = 5, limit = 2147483647 };
#else
enum { threads = 3, levels = 2, limit = 9 };
#endif

int main(void) {
  setenv("OMP_NUM_THREADS", "7", 1);
  setenv("OMP_MAX_ACTIVE_LEVELS", "5", 1);
  unsetenv("OMP_THREAD_LIMIT");
  expect_equal("OMP_NUM_THREADS set by the program", omp_get_max_threads(), threads);
  expect_equal("OMP_MAX_ACTIVE_LEVELS set by the program", omp_get_max_active_levels(), levels);
  expect_equal("OMP_THREAD_LIMIT unset by the program", omp_get_thread_limit(), limit);
  return expect_result();
}
