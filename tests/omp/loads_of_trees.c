/* xylem_set_load of threads at every level of nested regions: under `spread`, which opens what is
 * too big, 10 threads on 4 memory nodes of 2 processors. Of the two that are heavy each gets a node
 * with one light thread, which fills it; the others crowd on the other nodes. Work on other nodes
 * is left to the processors there. */
#define XYLEM_WEAK
#include <omp.h>
#include <sched.h>

#include "../../include/xylem/bubble.h"
#include "../../include/xylem/memory.h"
#include "expect.h"

enum { teams = 2, members = 5, rounds = 20 };
static int heavy[teams]; /* which member of each team is */
static int node[teams][members];
static int begun;

static void run(void) {
  store(&begun, 0);
#pragma omp parallel num_threads(teams)
  {
    const int team = omp_get_thread_num();
#pragma omp parallel num_threads(members)
    {
      const int me = omp_get_thread_num();
      xylem_set_load(me == heavy[team] ? 90 : 10);
      node[team][me] = xylem_current_node();
      add_one(&begun);
      /* Those that share a processor come when the others there wait. */
      while (load(&begun) < teams * members) sched_yield();
    }
  }
}

/* Threads on the node of that thread. */
static int company(int team, int me) {
  int count = 0;
  for (int t = 0; t < teams; t++)
    for (int i = 0; i < members; i++) count += node[t][i] == node[team][me];
  return count - 1;
}

int main(void) {
  omp_set_max_active_levels(2);
  expect_equal("nodes", xylem_node_count(), 4);
  for (int round = 0; round < rounds; round++) {
    for (int team = 0; team < teams; team++) heavy[team] = (round + team) % members;
    run(); /* tells */
    run();
    for (int team = 0; team < teams; team++)
      expect_equal("threads beside a heavy one", company(team, heavy[team]), 1);
    expect_true("heavy threads are apart", node[0][heavy[0]] != node[1][heavy[1]]);
  }
  return expect_result();
}
