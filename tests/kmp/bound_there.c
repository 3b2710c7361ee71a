/* Each thread runs on the processors of its place, wherever the initial thread's place is. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>

#include "expect.h"

enum { most_threads = 64 };

static int runs_where_it_is_placed(void) {
  const int place = omp_get_place_num();
  int ids[CPU_SETSIZE];
  cpu_set_t set, wanted;
  CPU_ZERO(&wanted);
  omp_get_place_proc_ids(place, ids);
  for (int i = 0; i < omp_get_place_num_procs(place); i++) CPU_SET(ids[i], &wanted);
  sched_getaffinity(0, sizeof set, &set);
  return CPU_EQUAL(&set, &wanted) && CPU_ISSET(sched_getcpu(), &wanted);
}

int main(void) {
  if (omp_get_num_places() < 2) return 77;
  for (int region = 0; region < 50; region++) {
    int right[most_threads] = {0}, place[most_threads], threads = 0;
#pragma omp parallel
    {
      const int self = omp_get_thread_num();
      right[self] = runs_where_it_is_placed();
      place[self] = omp_get_place_num();
#pragma omp single
      threads = omp_get_num_threads();
    }
    expect_equal("threads", threads, omp_get_max_threads());
    for (int i = 0; i < threads; i++) expect_equal("a thread runs in its place", right[i], 1);
    expect_equal("the first threads are in different places", place[0] != place[1], 1);
  }
  return expect_result();
}
