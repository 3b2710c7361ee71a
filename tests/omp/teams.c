/* The teams construct on the host: number of teams, team numbers, thread_limit, parallel inside,
 * distribute and its composites, reductions, and that each team's ICVs are its own. */
#include <omp.h>
#include <string.h>

#include "expect.h"

static void numbers(void) {
  int seen[64] = {0};
  int count = 0;
#pragma omp teams num_teams(3) shared(seen, count)
  {
    add_one(&seen[omp_get_team_num()]);
    store(&count, omp_get_num_teams());
  }
  expect_between("teams", count, 1, 3);
  for (int i = 0; i < count; i++) expect_equal("times a team ran", seen[i], 1);
  expect_equal("teams outside", omp_get_num_teams(), 1);
}

static void parallel_inside(void) {
  int ran = 0;
  int teams = 0;
#pragma omp teams num_teams(2) thread_limit(4) shared(ran, teams)
  {
    store(&teams, omp_get_num_teams());
    int mine = omp_get_team_num();
#pragma omp parallel num_threads(3)
    {
      add_one(&ran);
      expect_between("thread limit in teams", omp_get_thread_limit(), 1, 4);
      expect_equal("level in a team's parallel", omp_get_level(), 1);
      expect_equal("team number inside parallel", omp_get_team_num(), mine);
      expect_equal("threads of the inner parallel", omp_get_num_threads(), 3);
    }
  }
  expect_equal("members over the teams", ran, 3 * teams);
}

static void distributed(int turns) {
  int ran[500];
  memset(ran, 0, sizeof ran);
#pragma omp teams num_teams(4) shared(ran)
#pragma omp distribute
  for (int i = 0; i < turns; i++) add_one(&ran[i]);
#pragma omp teams distribute dist_schedule(static, 7) shared(ran)
  for (int i = turns - 1; i >= 0; i--) add_one(&ran[i]);
#pragma omp teams distribute parallel for num_threads(3) schedule(dynamic, 5) shared(ran)
  for (int i = 0; i < turns; i++) add_one(&ran[i]);
#pragma omp teams distribute parallel for collapse(2) num_threads(4) shared(ran)
  for (int i = 0; i < turns / 10; i++) {
    for (int j = 0; j < 10; j++) add_one(&ran[i * 10 + j]);
  }
  for (int i = 0; i < 500; i++) expect_equal("times distributed", ran[i], i < turns ? 4 : 0);
}

static void reduction(void) {
  long sum = 0;
#pragma omp teams distribute parallel for num_teams(3) reduction(+ : sum)
  for (int i = 0; i < 1000; i++) sum += i;
  expect_equal("teams reduction", sum, 499500);
}

int main(void) {
  for (int turn = 0; turn < 20; turn++) {
    numbers();
    parallel_inside();
    distributed(0);
    distributed(10);
    distributed(500);
    reduction();
  }
  return expect_result();
}
