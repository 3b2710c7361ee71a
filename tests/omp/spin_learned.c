/* Threads that meet in a barrier of their own, in which they spin without a yield, twice as many as
 * there are processors unless OMP_NUM_THREADS says another number: help comes after a time slice,
 * but to the same region only once. The argument is the slice in milliseconds, so long that nothing
 * else takes half of it: by processor time, which who waits for help spends, and which other loads
 * do not lengthen. */
#include <omp.h>
#include <sys/resource.h>
#include <time.h>

#include "expect.h"

enum { meetings = 2, calls = 8 };

static long long spent_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
  return at.tv_sec * 1000ll + at.tv_nsec / 1000000;
}

static void meet(int* arrived, int wanted) {
  add_one(arrived);
  while (load(arrived) < wanted) {
  }
}

/* How often the kernel took a processor from one of the threads, for another of them or for other
 * loads. */
static long preempted(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

int main(int argc, char** argv) {
  const long long slice = argc > 1 ? atoll(argv[1]) : 10;
  const int members = expect_members(2 * omp_get_num_procs());
  for (int call = 0; call < calls; call++) {
    const long long begun = spent_ms();
    const double begun_s = expect_seconds();
    const long preempted_before = preempted();
    int arrived = 0;
#pragma omp parallel num_threads(members)
    for (int i = 1; i <= meetings; i++) meet(&arrived, i * members);
    expect_equal("arrivals", arrived, meetings * members);
    const long long spent = spent_ms() - begun;
    if (call > 0 && spent >= slice / 2 && expect_failed())
      fprintf(stderr,
              "FAIL: call %d spent %lld ms in %.0f, and lost a processor %ld times: it waited for "
              "help\n",
              call, spent, 1e3 * (expect_seconds() - begun_s), preempted() - preempted_before);
  }
  return expect_result();
}
