/* Of ready tasks a member takes one whose data is on its own node. Synthetic machine: 2 nodes. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <omp.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { tasks = 6 };

static int ran_by[tasks]; /* node; -1: not yet */
static int made, ran;

static int get(const int* word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

static void wait_until(const int* word, int least) {
  while (get(word) < least) sched_yield();
}

/* Member 0 makes tasks whose data is on nodes 0, 0, 0, 1, 1, 1, and waits while member 1 runs. */
static void take(char* data, int priority_of_first) {
  made = ran = 0;
  for (int i = 0; i < tasks; i++) ran_by[i] = -1;
  int order[tasks];
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < tasks; i++) {
        char* mine = data + i * 4096;
#pragma omp task depend(inout : mine[0]) firstprivate(i) priority(i == 0 ? priority_of_first : 0)
        {
          ran_by[i] = xylem_current_node();
          order[__atomic_fetch_add(&ran, 1, __ATOMIC_SEQ_CST)] = i;
        }
      }
      __atomic_store_n(&made, 1, __ATOMIC_SEQ_CST);
      wait_until(&ran, tasks);
    } else {
      wait_until(&made, 1);
    }
  }
  /* Member 1 ran them all, those near it first. */
  const int urgent[tasks] = {0, 3, 4, 5, 1, 2}, usual[tasks] = {3, 4, 5, 0, 1, 2};
  const int* wanted = priority_of_first > 0 ? urgent : usual;
  for (int i = 0; i < tasks; i++) expect_equal("the order of tasks", order[i], wanted[i]);
}

int main(void) {
  if (!xylem_node_count || xylem_node_count() != 2) return 77;
  char* data = mmap(NULL, tasks * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(data, 1, tasks * 4096);
  for (int i = 0; i < tasks; i++) xylem_memory_move(data + i * 4096, 4096, i / 3, NULL);
  /* Hints place member 0 on node 0 and member 1 on node 1. */
  for (int round = 0; round < 20; round++) {
    xylem_hint_next(0, data, 4096, 1, 1);
    xylem_hint_next(1, data + 5 * 4096, 4096, 1, 1);
    take(data, 0);
  }
  return expect_result();
}
