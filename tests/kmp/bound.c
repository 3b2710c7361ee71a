/* Binding in a program that is linked with libomp. The initial thread is not bound before its first
 * region, or before it asks where it is; with the argument `reset` (KMP_AFFINITY=reset) not after
 * a region either; each team of a league has places of its own. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <string.h>

#include "expect.h"

static int allowed(void) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set);
}

static void region(void) {
#pragma omp parallel num_threads(2)
  expect_equal("processors of a member", allowed(), 1);
}

static void league(void) {
  int place[2] = {-1, -1}, count[2] = {0, 0};
  const int all = omp_get_num_places();
  const int before = omp_get_place_num();
#pragma omp teams num_teams(2)
  {
    place[omp_get_team_num()] = omp_get_place_num();
    count[omp_get_team_num()] = omp_get_partition_num_places();
  }
  expect_equal("places of both teams", count[0] + count[1], all);
  expect_equal("the teams are at different places", place[0] != place[1], 1);
  expect_equal("the initial thread is where it was", omp_get_place_num(), before);
  expect_equal("and has all places", omp_get_partition_num_places(), all);
}

int main(int argc, char** argv) {
  const int reset = argc > 1 && strcmp(argv[1], "reset") == 0;
  const int all = allowed();
  if (all < 2) return 77;
  expect_equal("threads", omp_get_max_threads() > 0, 1);
  expect_equal("processors before", allowed(), all);
  for (int i = 0; i < 3; i++) {
    region();
    expect_equal("processors after", allowed(), reset ? all : 1);
  }
  league();
  return expect_result();
}
