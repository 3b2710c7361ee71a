/* Parallel regions in a process whose codelets are idle, beside the same regions before the first
 * codelet. Prints one line: nanoseconds of a region before, and while codelets are idle. Batches
 * take some milliseconds; the least of each kind counts. docs/codelets.md quotes it. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xylem/codelet.h>

enum { batches = 40, regions = 2000, words = 64 };
static double sums[words];

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double least_ns(void) {
  double least = 1e18;
  for (int batch = 0; batch < batches; ++batch) {
    const double began = now_ns();
    for (int region = 0; region < regions; ++region) {
#pragma omp parallel for
      for (int i = 0; i < words; ++i) sums[i] += i;
    }
    const double took = (now_ns() - began) / regions;
    if (took < least) least = took;
  }
  return least;
}

static int nothing(const xylem_view* views, void* argument) {
  (void)views, (void)argument;
  return 0;
}

int main(void) {
  static const xylem_codelet codelet = {.cpu = nothing};
  least_ns();
  const double before = least_ns();
  for (int i = 0; i < 1000; ++i)
    if (xylem_submit(&codelet, NULL, NULL) != 0) return 1;
  if (xylem_wait_all() != 0) return 1;
  usleep(
      50000); /* the crew has left its region; its kernel thread is there still, and goes later */
  const double beside = least_ns();
  printf("%.0f %.0f\n", before, beside);
  return 0;
}
