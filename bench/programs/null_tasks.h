/* Owns how tasks that do nothing are timed: `count` of them are submitted and waited for, twice,
 * and the second time counts. null_tasks.c does so with Xylem's codelets, null_tasks_starpu.c with
 * StarPU's. Each prints one line: nanoseconds a task, without data and with one piece that each
 * reads and writes. docs/codelets.md quotes them. */
#ifndef BENCH_NULL_TASKS_H
#define BENCH_NULL_TASKS_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { count = 50000 };

static inline double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline void show(const char* name, double (*time_of)(int with_data)) {
  time_of(0);
  time_of(1);
  const double without = time_of(0);
  printf("%s %.0f %.0f\n", name, without / count, time_of(1) / count);
}

#endif
