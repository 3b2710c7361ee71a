/* num_threads as OpenMP 6.0 has it, by the entry points that libomp 19 has for it and that Clang 19
 * does not call yet: a list is for the region, for those inside it, and its last number for all
 * deeper ones; `strict` warns where there are fewer threads. The thread limit is 6. */
#include <omp.h>

#include "expect.h"

void __kmpc_push_num_threads_list(void* at, int thread, unsigned length, const int* list);
void __kmpc_push_num_threads_strict(void* at, int thread, int threads, int severity,
                                    const char* message);
void __kmpc_push_num_threads_list_strict(void* at, int thread, unsigned length, const int* list,
                                         int severity, const char* message);

static int sizes[4]; /* of the teams of thread 0, by level */

static void open_levels(void) {
#pragma omp parallel
  {
#pragma omp master
    sizes[0] = omp_get_num_threads();
#pragma omp parallel
    {
      if (omp_get_ancestor_thread_num(1) == 0 && omp_get_thread_num() == 0)
        sizes[1] = omp_get_num_threads();
#pragma omp parallel
      if (omp_get_ancestor_thread_num(1) == 0 && omp_get_ancestor_thread_num(2) == 0 &&
          omp_get_thread_num() == 0)
        sizes[2] = omp_get_num_threads();
    }
  }
}

static void expect_sizes(const char* what, int a, int b, int c) {
  open_levels();
  const int ok = sizes[0] == a && sizes[1] == b && sizes[2] == c;
  if (!ok && expect_failed())
    fprintf(stderr, "FAIL: %s: %d %d %d\n", what, sizes[0], sizes[1], sizes[2]);
}

int main(void) {
  omp_set_max_active_levels(3);
  omp_set_num_threads(1);
  expect_sizes("without a list", 1, 1, 1);
  const int list[] = {2, 1};
  __kmpc_push_num_threads_list(0, 0, 2, list);
  expect_sizes("with a list", 2, 1, 1);
  expect_sizes("once more without", 1, 1, 1);
  const int deeper[] = {1, 2};
  __kmpc_push_num_threads_list(0, 0, 2, deeper);
  expect_sizes("its last number is for all deeper ones", 1, 2, 2);
  __kmpc_push_num_threads_strict(0, 0, 3, 1, "not said: there are three");
  expect_sizes("strict", 3, 1, 1);
  __kmpc_push_num_threads_strict(0, 0, 40, 1, "said: there are not 40");
  open_levels();
  expect_equal("threads in the limit", sizes[0], 6);
  const int both[] = {40, 1};
  __kmpc_push_num_threads_list_strict(0, 0, 2, both, 1, 0);
  open_levels();
  expect_equal("threads in the limit", sizes[0], 6);
  if (!expect_result()) fprintf(stderr, "as expected\n");
  return expect_result();
}
