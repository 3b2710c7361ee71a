/* What bounds a team: resized teams in a row, omp_set_num_threads, dynamic adjustment,
 * max-active-levels, and the scope of each ICV (a change inside a region ends with it). */
#include <omp.h>

#include "expect.h"

static int team_size(int asked) {
  int members = 0;
  int team = 0;
#pragma omp parallel num_threads(asked)
  {
    add_one(&members);
#pragma omp barrier
    if (omp_get_thread_num() == 0) team = omp_get_num_threads();
  }
  expect_equal("members and size agree", members, team);
  return team;
}

static void resized_teams(void) {
  static const int sizes[] = {8, 2, 8, 1, 16, 3, 16, 5};
  for (int turn = 0; turn < 50; turn++) {
    for (int i = 0; i < 8; i++) expect_equal("resized team", team_size(sizes[i]), sizes[i]);
  }
}

static void set_num_threads(void) {
  int before = omp_get_max_threads();
  omp_set_num_threads(6);
  expect_equal("max threads after setting", omp_get_max_threads(), 6);
  int team = 0;
#pragma omp parallel
  {
#pragma omp single
    team = omp_get_num_threads();
    omp_set_num_threads(3 + omp_get_thread_num());
    expect_equal("set inside", omp_get_max_threads(), 3 + omp_get_thread_num());
  }
  expect_equal("team after setting", team, 6);
  expect_equal("a set inside a region ends with it", omp_get_max_threads(), 6);
  omp_set_num_threads(before);
}

static void dynamic_adjustment(void) {
  omp_set_dynamic(1);
  expect_equal("dynamic", omp_get_dynamic(), 1);
  expect_between("dynamic team", team_size(12), 1, 12);
  omp_set_dynamic(0);
  expect_equal("dynamic", omp_get_dynamic(), 0);
  expect_equal("team without dynamic", team_size(12), 12);
}

static void nested_sizes(int inner_expected) {
#pragma omp parallel num_threads(3)
  {
    int inner = 0;
#pragma omp parallel num_threads(4) shared(inner)
#pragma omp master
    inner = omp_get_num_threads();
    expect_equal("inner team under max-active-levels", inner, inner_expected);
  }
}

static void active_levels(void) {
  omp_set_max_active_levels(1);
  expect_equal("max active levels", omp_get_max_active_levels(), 1);
  nested_sizes(1);
  omp_set_max_active_levels(2);
  nested_sizes(4);
  omp_set_max_active_levels(0);
  expect_equal("team at no active levels", team_size(4), 1);
  omp_set_max_active_levels(omp_get_supported_active_levels());
}

static void inherited_icv(void) {
#pragma omp parallel num_threads(2)
  {
    int want = 2 + omp_get_thread_num();
    omp_set_num_threads(want);
    int inner = 0;
#pragma omp parallel shared(inner)
    {
      expect_equal("inherited nthreads", omp_get_max_threads(), want);
#pragma omp single
      inner = omp_get_num_threads();
    }
    expect_equal("inner team from this task's ICV", inner, want);
  }
}

int main(void) {
  resized_teams();
  set_num_threads();
  dynamic_adjustment();
  active_levels();
  inherited_icv();
  return expect_result();
}
