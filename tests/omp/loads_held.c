/* Under `spread` 8 members on 4 nodes of 2 processors tell the same load each: their shares are
 * even, so each thread of their teams runs on the processor that it was given, though processors
 * idle for moments while something waits at others. */
#define XYLEM_WEAK
#include <omp.h>

#include "../../include/xylem/bubble.h"
#include "expect.h"

enum { outer = 8, inner = 4, rounds = 40, turns = 2000 };
static int where[outer][inner];

static void work(int times) {
  for (volatile int i = 0; i < times * turns;) i = i + 1;
}

static void run(void) {
#pragma omp parallel num_threads(outer)
  {
    const int team = omp_get_thread_num();
    xylem_set_load(10);
#pragma omp parallel num_threads(inner)
    {
      const int me = omp_get_thread_num();
      work((team + me) % 5);
#pragma omp barrier
      where[team][me] = xylem_current_pu();
      work((team * me) % 7);
    }
  }
}

int main(void) {
  omp_set_max_active_levels(2);
  run(); /* tells, and shows its teams */
  run();
  int first[outer][inner], on_pu[outer] = {0};
  for (int team = 0; team < outer; team++)
    for (int me = 0; me < inner; me++) {
      first[team][me] = where[team][me];
      on_pu[where[team][me]]++;
    }
  for (int pu = 0; pu < outer; pu++) expect_equal("threads of a processor", on_pu[pu], inner);
  for (int round = 0; round < rounds; round++) {
    run();
    for (int team = 0; team < outer; team++)
      for (int me = 0; me < inner; me++)
        expect_equal("processor of a thread", where[team][me], first[team][me]);
  }
  return expect_result();
}
