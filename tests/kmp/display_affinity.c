/* OMP_DISPLAY_AFFINITY for a program that is linked with libomp: lines on standard output, of every
 * thread of a team whose level, size or places differ from the team that the thread was in before;
 * of teams of one too. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

/* How many lines standard output has by now, which goes to a file; and how many of them are `text`.
 */
static int lines(const char* name, const char* text) {
  char line[200];
  int count = 0;
  fflush(stdout);
  FILE* in = fopen(name, "r");
  while (in && fgets(line, sizeof line, in)) {
    line[strcspn(line, "\n")] = 0;
    if (!text || strcmp(line, text) == 0) count++;
  }
  if (in) fclose(in);
  return count;
}

static void region(int threads) {
#pragma omp parallel num_threads(threads)
  {}
}

int main(void) {
  char name[] = "/tmp/xylem_shownXXXXXX";
  const int file = mkstemp(name);
  if (file < 0 || !freopen(name, "w", stdout)) return 2;
  omp_set_affinity_format("%L %a %n %N");
  omp_set_max_active_levels(4);
  region(4);
  expect_equal("of a team of 4", lines(name, 0), 4);
  expect_equal("of its thread 3", lines(name, "1 0 3 4"), 1);
  region(4);
  expect_equal("of the same once more", lines(name, 0), 4);
  region(3);
  expect_equal("of a smaller one", lines(name, 0), 7);
  region(1);
  region(1);
  expect_equal("of one thread, once", lines(name, 0), 8);
#pragma omp parallel num_threads(2)
  {
    region(3);
    region(3);
  }
  expect_equal("of two nested teams, once each", lines(name, 0), 16);
  expect_equal("of what thread 1 made", lines(name, "2 1 2 3"), 1);
  region(2);
  expect_equal("of the outer one after those", lines(name, 0), 18);
  unlink(name);
  close(file);
  return expect_result();
}
