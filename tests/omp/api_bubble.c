/* include/xylem/bubble.h: loads may be told anywhere and change no result; the levels are a tree
 * whose root holds every processor. */
#define XYLEM_WEAK
#include <errno.h>
#include <omp.h>

#include "../../include/xylem/bubble.h"
#include "expect.h"

enum { threads = 12, rounds = 5 };

static void loads(void) {
  int seen[threads] = {0};
  xylem_set_load(7); /* outside of regions: nothing to remember it for */
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(threads)
    {
      int me = omp_get_thread_num();
      xylem_set_load((me * 37 + round) % 50 - 5);
#pragma omp parallel num_threads(3)
      {
        xylem_set_load(omp_get_thread_num() * 1000);
#pragma omp atomic
        seen[me]++;
      }
      expect_between("xylem_current_pu", xylem_current_pu(), 0, omp_get_num_procs() - 1);
    }
  }
  for (int i = 0; i < threads; i++) expect_equal("members that ran", seen[i], 3 * rounds);
}

/* Machines drawn without sizes have no caches that are known. */
static void copies(void) {
  unsigned long here = xylem_copy_threshold(0, 0, 0);
  expect_equal("half for two", xylem_copy_threshold(0, 0, 2) == here / 2, 1);
  expect_equal("no such PU", xylem_copy_threshold(0, 1 << 20, 0) != 0, 0);
  expect_equal("nor below", xylem_copy_threshold(-1, 0, 0) != 0, 0);
}

static void levels(void) {
  xylem_level machine, level;
  expect_equal("level 0", xylem_level_query(0, &machine, sizeof machine), 0);
  expect_equal("its kind", machine.kind, xylem_level_machine);
  expect_equal("its parent", machine.parent, -1);
  expect_equal("its processors", machine.pu_count, omp_get_num_procs());
  int pus = 0, count = xylem_level_count();
  for (int i = 1; i < count; i++) {
    expect_equal("xylem_level_query", xylem_level_query(i, &level, sizeof level), 0);
    expect_between("parents come first", level.parent, 0, i - 1);
    pus += level.kind == xylem_level_pu;
  }
  expect_equal("levels that are processors", pus, count > 1 ? machine.pu_count : 0);
  expect_equal("no such level", xylem_level_query(count, &level, sizeof level), EINVAL);
  expect_equal("a size of no version", xylem_level_query(0, &level, 1), EINVAL);
}

int main(void) {
  omp_set_max_active_levels(2);
  loads();
  copies();
  levels();
  return expect_result();
}
