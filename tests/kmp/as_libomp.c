/* What a program that is linked with libomp finds otherwise than one that is linked with libgomp:
 * the schedule and the affinity format that nobody gave, fields that do not exist, the environment
 * as main() has changed it before the first call, and OMP_TARGET_OFFLOAD set late. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

extern int __kmpc_get_target_offload(void);

static void check_text(const char* format, const char* wanted) {
  char text[100];
  size_t length = omp_capture_affinity(text, sizeof text, format);
  expect_equal("length", (long long)length, (long long)strlen(wanted));
  if (strcmp(text, wanted) != 0 && expect_failed())
    fprintf(stderr, "FAIL: %s is '%s', not '%s'\n", format, text, wanted);
}

__attribute__((noinline)) static void check(void) {
  omp_sched_t kind;
  int chunk = -1;
  omp_get_schedule(&kind, &chunk);
  expect_equal("the schedule", kind, omp_sched_static);
  expect_equal("its chunk", chunk, 0);
  int first[4] = {-1, -1, -1, -1};
#pragma omp parallel for schedule(runtime) num_threads(4)
  for (int i = 0; i < 400; i++)
    if (i % 100 == 0) first[i / 100] = omp_get_thread_num();
  for (int i = 0; i < 4; i++) expect_equal("the thread of a block", first[i], i);
  omp_set_schedule((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 3);
  omp_get_schedule(&kind, &chunk);
  expect_equal("the schedule set", (long long)kind,
               (long long)(omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic));
  expect_equal("the chunk set", chunk, 3);

  expect_equal("omp_get_max_task_priority", omp_get_max_task_priority(), 7);

  char format[80] = "";
  omp_get_affinity_format(format, sizeof format);
  expect_equal("the default format is libomp's", strncmp(format, "OMP: pid %P", 11), 0);
  check_text("%{no_such}|%X|%n", "undefined|undefined|0");
  check_text("%04n|%0.4n", "0   |0000");

  kmp_set_defaults("OMP_TARGET_OFFLOAD=mandatory");
  expect_equal("mandatory", __kmpc_get_target_offload(), 2);
  kmp_set_defaults("OMP_TARGET_OFFLOAD=disabled");
  expect_equal("disabled", __kmpc_get_target_offload(), 0);
  kmp_set_defaults("OMP_TARGET_OFFLOAD=nonsense");
  expect_equal("default", __kmpc_get_target_offload(), 1);
}

int main(void) {
  setenv("OMP_MAX_TASK_PRIORITY", "7", 1);
  check();
  return expect_result();
}
