/* Processor time: a thread's clock goes on while it computes and never back, stands still while it
 * sleeps, and is read through its pthread_t; rusage of the thread tells the same. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 10 };

static long long on(clockid_t clock) {
  struct timespec now = {0, 0};
  expect_equal("clock_gettime", clock_gettime(clock, &now), 0);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long by_rusage(void) {
  struct rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000LL +
         (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000LL;
}

/* So much of the caller's own processor time; a clock that is another's would never get there. */
static void compute(long long nanoseconds) {
  long long until = on(CLOCK_THREAD_CPUTIME_ID) + nanoseconds;
  while (on(CLOCK_THREAD_CPUTIME_ID) < until) {
  }
}

int main(void) {
  begin_threads();
#pragma omp parallel num_threads(members)
  {
    clockid_t mine;
    expect_equal("pthread_getcpuclockid", pthread_getcpuclockid(pthread_self(), &mine), 0);
    long long before = on(CLOCK_THREAD_CPUTIME_ID), used_before = by_rusage();
    for (int turn = 0; turn < turns; turn++) {
      compute(2000000);
      meet_and_move();
      long long now = on(CLOCK_THREAD_CPUTIME_ID);
      expect_true("a thread's clock counts what it computed", now - before >= 2000000);
      expect_true("the clock by its pthread_t goes along", on(mine) >= now);
      expect_true("it is no further than the process's", now <= on(CLOCK_PROCESS_CPUTIME_ID));
      before = now;
    }
    expect_true("rusage counts it too", by_rusage() - used_before >= turns * 1000000LL);
    /* Asleep, it takes next to nothing of its own. */
    before = on(CLOCK_THREAD_CPUTIME_ID);
    syscall(SYS_poll, NULL, 0, 30);
    expect_true("asleep, a clock stands", on(CLOCK_THREAD_CPUTIME_ID) - before < 10000000);
  }
  return expect_result();
}
