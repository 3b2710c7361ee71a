/* Two threads of the program have a region open at once: their teams get parts of the machine that
 * have no processor in common, each by its share of the load. Arguments: the loads that the members
 * of the first team and of the second one tell, all of a team together; none: they tell nothing,
 * and members count. Work on another memory node is left to the processors there, so that parts can
 * be told apart by nodes. */
#define XYLEM_WEAK
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "../../include/xylem/bubble.h"
#include "../../include/xylem/memory.h"
#include "expect.h"

enum { rounds = 20 };
static int processors, nodes;
static long loads[2];
static int members[2];          /* of each team: as many as its part has processors */
static int first_nodes;         /* so many nodes are the first team's, the others the second's */
static int elsewhere[2];        /* members that ran on a node of the other team's */
static int begun, second_is_in; /* rounds */

static void await(const int* flag, int value) {
  while (load(flag) < value) sched_yield();
}

/* Each processor runs one of the members, as none ends before all have begun. */
static void be_member(int root, int* arrived) {
  const int is_first = xylem_current_node() < first_nodes;
  if (omp_get_thread_num() > 0 && is_first != (root == 0)) add_one(&elsewhere[root]);
  add_one(arrived);
  await(arrived, members[root]);
}

static void tell_loads(int root) {
  if (loads[root] == 0) return;
#pragma omp parallel num_threads(members[root])
  xylem_set_load(loads[root] / members[root]);
}

/* Opens its region while the first team's is open, and holds it until that one has opened
 * another. */
static void* second_root(void* unused) {
  tell_loads(1);
  for (int round = 1; round <= rounds; round++) {
    int arrived = 0;
    await(&begun, 2 * round - 1);
#pragma omp parallel num_threads(members[1])
    {
      be_member(1, &arrived);
      if (omp_get_thread_num() == 0) {
        store(&second_is_in, round);
        await(&begun, 2 * round);
      }
    }
  }
  return unused;
}

static void first_root(void) {
  tell_loads(0);
  for (int round = 1; round <= rounds; round++) {
#pragma omp parallel num_threads(members[0])
    if (omp_get_thread_num() == 0) {
      add_one(&begun);
      await(&second_is_in, round);
    }
    int arrived = 0;
#pragma omp parallel num_threads(members[0])
    be_member(0, &arrived);
    add_one(&begun);
  }
}

int main(int argc, char** argv) {
  processors = omp_get_num_procs();
  nodes = xylem_node_count();
  for (int root = 0; root < 2; root++) loads[root] = argc > 2 ? atol(argv[1 + root]) : 0;
  const long all = argc > 2 ? loads[0] + loads[1] : 2, first = argc > 2 ? loads[0] : 1;
  first_nodes = (int)(nodes * first / all);
  members[0] = (int)(processors * first / all);
  members[1] = processors - members[0];
  expect_equal("nodes of the first team, and nothing left over", first_nodes * all, nodes * first);

  /* The first root is the first that opens a region. */
  int opened = 0;
#pragma omp parallel num_threads(2)
  add_one(&opened);
  pthread_t second;
  pthread_create(&second, NULL, second_root, NULL);
  first_root();
  pthread_join(second, NULL);
  expect_equal("members of the first team in the second's part", elsewhere[0], 0);
  expect_equal("members of the second team in the first's part", elsewhere[1], 0);
  return expect_result();
}
