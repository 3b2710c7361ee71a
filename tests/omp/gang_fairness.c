// Three gangs of 5, 6 and 7 threads on four processors get a third of the processors' time each,
// within 5 % (paper 002, figure 2.3). Time is the processor time of the pieces of work that each
// gang did, so that other loads on the machine count for nobody. Prints the shares.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "expect.h"

enum { gangs = 3, piece_ns = 50000, most_pieces = 2000000 };
static const int sizes[gangs] = {5, 6, 7};
static _Atomic long long used_ns[gangs];

static long long clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static long long work_for(long long ns) {
  const long long begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  long long now = begin;
  while (now - begin < ns) now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  return now - begin;
}

static void gang(int number, double until) {
#pragma omp parallel num_threads(sizes[number])
#pragma omp for schedule(dynamic, 1)
  for (long piece = 0; piece < most_pieces; ++piece) {
    if (omp_get_wtime() < until) used_ns[number] += work_for(piece_ns);
  }
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 3;
  const double until = omp_get_wtime() + seconds;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(gangs)
  gang(omp_get_thread_num(), until);
  long long all = 0;
  for (int i = 0; i < gangs; ++i) all += used_ns[i];
  for (int i = 0; i < gangs; ++i)
    printf("gang of %d: %.4f\n", sizes[i], (double)used_ns[i] / (double)all);
  for (int i = 0; i < gangs; ++i) {
    const double share = (double)used_ns[i] / (double)all;
    expect_between("thousandths of a third of the time", (long long)(share * gangs * 1000), 950,
                   1050);
  }
  return expect_result();
}
