/* How a case is timed: its body runs in batches that are long enough for the clock, as many as the
 * time allows; what counts is the median of the batches, by operation.
 *
 * Owns: struct bench_case, bench_main(), bench_told_ns. A program has a table of cases and prints
 * one line for the case that argv[1] names: name, median, lowest (nanoseconds for one operation),
 * and batches. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  const char* name;
  void (*body)(long count); /* does `count` operations, a multiple of `unit` */
  long unit;                /* 0: 1 */
} bench_case;

enum { bench_most_batches = 1001 };

/* What a body did instead of `count` operations, if it cannot know that before. */
static long bench_done;
/* Set by a body of whose time only a part is the operation's: how long that part took. Else 0. */
static double bench_told_ns;

static inline int64_t bench_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Takes about so long, whatever else the machine does: work, not time, so that threads that share a
 * processor take their time one after the other. bench_calibrate() must have been called. */
static double bench_turns_a_ns;
/* Neither inlined nor cloned: copies of so short a loop differ in speed by a factor of two, by where
 * they lie. */
static __attribute__((noinline, noclone, unused)) void bench_work_turns(long turns) {
  for (long i = 0; i < turns; i++) __asm__ volatile("" ::: "memory");
}
static inline void bench_work(double ns) { bench_work_turns((long)(ns * bench_turns_a_ns)); }
static inline void bench_calibrate(void) {
  for (int i = 0; i < 20; i++) {
    const int64_t begin = bench_now_ns();
    bench_work_turns(100000);
    const double rate = 100000 / (double)(bench_now_ns() - begin);
    if (rate > bench_turns_a_ns) bench_turns_a_ns = rate;
  }
}

static inline double bench_once(const bench_case* what, long count) {
  bench_done = 0;
  bench_told_ns = 0;
  const int64_t begin = bench_now_ns();
  what->body(count);
  return bench_told_ns > 0 ? bench_told_ns : (double)(bench_now_ns() - begin);
}

static inline int bench_less(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static inline void bench_measure(const bench_case* what, double seconds, double batch_ns) {
  static double batches[bench_most_batches];
  long count = what->unit > 0 ? what->unit : 1;
  double took = bench_once(what, count); /* with what a runtime does once */
  while ((took = bench_once(what, count)) < batch_ns / 2) count *= took < batch_ns / 20 ? 10 : 2;
  const int64_t until = bench_now_ns() + (int64_t)(seconds * 1e9);
  int n = 0;
  do {
    took = bench_once(what, count);
    batches[n++] = took / (double)(bench_done > 0 ? bench_done : count);
  } while (n < bench_most_batches && bench_now_ns() < until);
  qsort(batches, (size_t)n, sizeof *batches, bench_less);
  printf("%s\t%.1f\t%.1f\t%d\n", what->name, batches[n / 2], batches[0], n);
}

/* Exit code 0; 2: no such case, and the names of all on stdout. */
static inline int bench_main(const bench_case* cases, int argc, char** argv) {
  const double seconds = argc > 2 ? atof(argv[2]) : 0.2;
  bench_calibrate();
  for (const bench_case* one = cases; one->name; one++)
    if (argc > 1 && strcmp(one->name, argv[1]) == 0) {
      bench_measure(one, seconds, 2e6);
      return 0;
    }
  for (const bench_case* one = cases; one->name; one++) puts(one->name);
  return 2;
}

#endif
