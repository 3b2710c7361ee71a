/* Counters of the kernel (perf): one opened by the first thread before the first region, inherited,
 * counts every member; a member's own, opened in a region, counts the kernel thread it is on. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads_move.h"

/* A counter of processor time of the caller's kernel thread, and of what it makes if `inherit`. */
static int counter(int inherit) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.inherit = inherit != 0;
  attributes.exclude_kernel = 1;
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

static long long count_of(int descriptor) {
  long long count = -1;
  return read(descriptor, &count, sizeof count) == sizeof count ? count : -1;
}

static long long processor_time(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(void) {
  begin_threads();
  int of_all = counter(1);
  if (of_all < 0) return 77;
  long long before = processor_time(CLOCK_PROCESS_CPUTIME_ID);
  double total = 0;
#pragma omp parallel num_threads(members) reduction(+ : total)
  for (int turn = 0; turn < 10; turn++) {
    for (int i = 0; i < 500000; i++) total += i;
    meet_and_move();
  }
  long long used = processor_time(CLOCK_PROCESS_CPUTIME_ID) - before;
  expect_between("counted of all members", count_of(of_all), used / 2, used + used / 2);
  expect_true("a sum", total > 0);
#pragma omp parallel num_threads(members)
  {
    int own = counter(0);
    expect_true("a member's counter", own >= 0);
    move_alone();
    expect_true("it counts", count_of(own) >= 0);
    close(own);
  }
  return expect_result();
}
