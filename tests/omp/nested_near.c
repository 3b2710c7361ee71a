/* Work on another memory node is left to the processors there for XYLEM_STEAL_PATIENCE: members of
 * nested teams stay on the node of their maker, if its processors have time. */
#define XYLEM_WEAK
#include <omp.h>
#include <sched.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { rounds = 100, outer = 4, inner = 4 };

int main(void) {
  int elsewhere = 0;
  omp_set_max_active_levels(2);
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(outer) reduction(+ : elsewhere)
    {
      const int home = xylem_current_node();
      int away = 0;
#pragma omp parallel num_threads(inner) reduction(+ : away)
      {
        sched_yield(); /* others of the node, and of other nodes, come to look */
        away = xylem_current_node() != home;
      }
      elsewhere += away;
    }
  }
  expect_equal("memory nodes", xylem_node_count(), 4);
  expect_equal("members away from their maker's node", elsewhere, 0);
  return expect_result();
}
