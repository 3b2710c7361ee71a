/* Threads that meet in a barrier of their own, in which they spin without a yield, twice as many as
 * there are processors: help comes after a time slice, but to the same region only once. The
 * argument is the slice in milliseconds, so long that nothing else takes as long. */
#include <omp.h>
#include <time.h>

#include "expect.h"

enum { meetings = 5, calls = 8 };

static long long now_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1000ll + at.tv_nsec / 1000000;
}

static void meet(int* arrived, int wanted) {
  add_one(arrived);
  while (load(arrived) < wanted) {
  }
}

int main(int argc, char** argv) {
  const long long slice = argc > 1 ? atoll(argv[1]) : 10;
  const int members = 2 * omp_get_num_procs();
  for (int call = 0; call < calls; call++) {
    const long long begun = now_ms();
    int arrived = 0;
#pragma omp parallel num_threads(members)
    for (int i = 1; i <= meetings; i++) meet(&arrived, i * members);
    expect_equal("arrivals", arrived, meetings * members);
    const long long took = now_ms() - begun;
    if (call > 0 && took >= slice && expect_failed())
      fprintf(stderr, "FAIL: call %d took %lld ms: it waited for help\n", call, took);
  }
  return expect_result();
}
