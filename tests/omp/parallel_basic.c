/* The parallel construct: team sizes from num_threads, if and the ICV; every thread number comes
 * exactly once; data-sharing clauses; the join orders what the team wrote. */
#include <omp.h>
#include <string.h>

#include "expect.h"

enum { most_threads = 64 };

static void each_number_comes_once(int asked) {
  int seen[most_threads];
  memset(seen, 0, sizeof seen);
  int team = 0;
#pragma omp parallel num_threads(asked)
  {
    seen[omp_get_thread_num()]++;
    if (omp_get_thread_num() == 0) team = omp_get_num_threads();
  }
  expect_equal("team size from num_threads", team, asked);
  for (int i = 0; i < asked; i++) expect_equal("times a thread number came", seen[i], 1);
}

static void default_size(void) {
  int members = 0;
  int team = 0;
#pragma omp parallel
  {
    add_one(&members);
#pragma omp single
    team = omp_get_num_threads();
  }
  expect_equal("default team size", team, omp_get_max_threads());
  expect_equal("members that ran", members, team);
}

static void if_clause(int condition, int expected) {
  int team = 0;
  int parallel = 0;
#pragma omp parallel num_threads(3) if (condition)
#pragma omp master
  {
    team = omp_get_num_threads();
    parallel = omp_in_parallel();
  }
  expect_equal("team size under if", team, expected);
  expect_equal("omp_in_parallel under if", parallel, condition);
}

static void data_sharing(void) {
  int shared = 0;
  int first = 41;
  int mine = -1;
#pragma omp parallel num_threads(7) private(mine) firstprivate(first) shared(shared)
  {
    mine = omp_get_thread_num();
    first += mine;
#pragma omp barrier
    expect_equal("private copy", mine, omp_get_thread_num());
    expect_equal("firstprivate copy", first, 41 + mine);
#pragma omp atomic
    shared += first;
  }
  expect_equal("sum over firstprivate copies", shared, 7 * 41 + 21);
  expect_equal("the outer firstprivate", first, 41);
}

static void many_in_a_row(void) {
  long total = 0;
  for (int turn = 0; turn < 2000; turn++) {
    int members = 0;
#pragma omp parallel num_threads(4)
    add_one(&members);
    total += members;
  }
  expect_equal("members over 2000 regions", total, 8000);
}

int main(void) {
  expect_equal("omp_in_parallel outside", omp_in_parallel(), 0);
  expect_equal("team outside", omp_get_num_threads(), 1);
  default_size();
  for (int asked = 1; asked <= most_threads; asked += asked < 9 ? 1 : 11) {
    each_number_comes_once(asked);
  }
  if_clause(0, 1);
  if_clause(1, 3);
  data_sharing();
  many_in_a_row();
  return expect_result();
}
