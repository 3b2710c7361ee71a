/* Teams of teams on a machine with a memory node for each: members of the outer team go to a node
 * each, and those of their teams stay with them, as work on another node is left to the processors
 * there for XYLEM_STEAL_PATIENCE. */
#define XYLEM_WEAK
#include <omp.h>
#include <sched.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { rounds = 100, outer = 4, inner = 4 };

int main(void) {
  int elsewhere = 0, homes_elsewhere = 0;
  omp_set_max_active_levels(2);
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(outer) reduction(+ : elsewhere, homes_elsewhere)
    {
      const int home = xylem_current_node();
      int away = 0;
#pragma omp parallel num_threads(inner) reduction(+ : away)
      {
        sched_yield(); /* others of the node, and of other nodes, come to look */
        away = xylem_current_node() != home;
      }
      elsewhere += away;
      homes_elsewhere += home != omp_get_thread_num();
    }
  }
  expect_equal("memory nodes", xylem_node_count(), 4);
  expect_equal("makers away from their node", homes_elsewhere, 0);
  expect_equal("members away from their maker's node", elsewhere, 0);
  return expect_result();
}
