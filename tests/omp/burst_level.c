/* Teams of a bubble with a burst level (xylem_bubble_set_burst_level) leave their threads on the
 * queue of that level, where every processor below takes them: on a machine whose packages are
 * memory nodes and have one cache, whichever of the three is named. Two packages of two processors,
 * and nobody steals; a team of two, whose maker's processor is busy with the first member. */
#define XYLEM_WEAK
#include <omp.h>
#include <stdlib.h>

#include "../../include/xylem/bubble.h"
#include "expect.h"

enum { rounds = 20 };

/* Rounds in which the second member ran on the package's other processor. */
static int beside(xylem_bubble* bubble) {
  int count = 0;
  for (int round = 0; round < rounds; round++) {
    int pu[2] = {-1, -1}, begun = 0;
    xylem_bubble_enter(bubble);
#pragma omp parallel num_threads(2)
    {
      pu[omp_get_thread_num()] = xylem_current_pu();
      if (omp_get_thread_num() == 1) store(&begun, 1);
      while (!load(&begun)) continue;
    }
    xylem_bubble_leave();
    count += pu[0] != pu[1] && pu[0] / 2 == pu[1] / 2;
  }
  return count;
}

int main(void) {
  const int kinds[] = {xylem_level_package, xylem_level_node, xylem_level_cache};
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3; i++) {
    xylem_bubble* bubble = xylem_bubble_create();
    expect_equal("set burst level", xylem_bubble_set_burst_level(bubble, kinds[i]), 0);
    expect_true("the package's other processor takes the second member", beside(bubble) > 0);
    xylem_bubble_destroy(bubble);
  }
  return expect_result();
}
