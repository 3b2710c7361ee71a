/* KMP_HW_SUBSET, set by the program before its first call of OpenMP: one core of the machine is
 * used, by all threads of a team that is larger, and by the thread that makes it. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

#include "expect.h"

/* Processors that the kernel lets the calling thread use. */
static int allowed(void) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set);
}

/* Not in main(): Clang asks for the caller's number, which starts the runtime, at the beginning of
 * a function that has a region. */
__attribute__((noinline)) static void check(void) {
  expect_equal("omp_get_num_procs", omp_get_num_procs(), 1);
  expect_equal("omp_get_max_threads", omp_get_max_threads(), 1);
#pragma omp parallel num_threads(6)
  {
    expect_equal("the team", omp_get_num_threads(), 6);
    expect_equal("processors of a member", allowed(), 1);
  }
}

int main(void) {
  if (allowed() == 1) return 77;
  setenv("KMP_HW_SUBSET", "1s,1c,1t", 1);
  check();
  return expect_result();
}
