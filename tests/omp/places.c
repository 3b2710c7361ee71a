/* Places and binding, registered with OMP_PLACES=threads OMP_PROC_BIND=spread,close and
 * OMP_NUM_THREADS=2: the place routines agree with each other, a bound member runs on its place's
 * processors, and proc_bind(primary) puts a team in its primary thread's place. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>

#include "expect.h"

static int in_place(int place, int processor) {
  int count = omp_get_place_num_procs(place);
  int* ids = malloc((size_t)count * sizeof(int));
  omp_get_place_proc_ids(place, ids);
  int found = 0;
  for (int i = 0; i < count; i++) found |= ids[i] == processor;
  free(ids);
  return found;
}

static void routines(void) {
  expect_equal("omp_get_proc_bind", omp_get_proc_bind(), omp_proc_bind_spread);
  int places = omp_get_num_places();
  expect_equal("places are the processors", places, omp_get_num_procs());
  for (int p = 0; p < places; p++) {
    expect_equal("processors of a place", omp_get_place_num_procs(p), 1);
  }
  expect_between("omp_get_place_num", omp_get_place_num(), 0, places - 1);
}

static void bound_members(void) {
#pragma omp parallel
  {
    int place = omp_get_place_num();
    expect_between("a member's place", place, 0, omp_get_num_places() - 1);
    expect_between("its partition", omp_get_partition_num_places(), 1, omp_get_num_places());
    for (int turn = 0; turn < 20; turn++) {
      expect_true("it runs on its place", in_place(place, sched_getcpu()));
#pragma omp barrier
    }
    expect_equal("bind of a nested region", omp_get_proc_bind(), omp_proc_bind_close);
  }
}

static void with_the_primary(void) {
  int primary = omp_get_place_num();
#pragma omp parallel num_threads(4) proc_bind(primary)
  {
    expect_equal("place under proc_bind(primary)", omp_get_place_num(), primary);
    expect_true("it runs there", in_place(primary, sched_getcpu()));
  }
}

static void spread_out(void) {
  int places = omp_get_num_places();
  int* members = calloc((size_t)places, sizeof(int));
#pragma omp parallel num_threads(places) proc_bind(spread)
  add_one(&members[omp_get_place_num()]);
  for (int p = 0; p < places; p++) expect_equal("members on a place", members[p], 1);
  free(members);
}

int main(void) {
  routines();
  bound_members();
  with_the_primary();
  spread_out();
  return expect_result();
}
