/* The affinity clause: of ready tasks a member takes one whose data is on its own node. Synthetic
 * machine: 2 nodes. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <omp.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { tasks = 6, page = 4096 };

static int order[tasks], made, ran;

static int get(const int* word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

static void wait_until(const int* word, int least) {
  while (get(word) < least) sched_yield();
}

static void note(int i) { order[__atomic_fetch_add(&ran, 1, __ATOMIC_SEQ_CST)] = i; }

/* Task i works most on page i; it names a byte of another page too, which says less. */
static void make(char* data, int i) {
  char *most = data + i * page, *little = data + (tasks - 1 - i) * page;
#pragma omp task affinity(little [0:1], most [0:page]) firstprivate(i)
  note(i);
}

/* Member 0 makes the tasks and waits while member 1, on node 1, runs them. */
static void take(char* data) {
  made = ran = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < tasks; i++) make(data, i);
      __atomic_store_n(&made, 1, __ATOMIC_SEQ_CST);
      wait_until(&ran, tasks);
    } else {
      wait_until(&made, 1);
    }
  }
  const int wanted[tasks] = {3, 4, 5, 0, 1, 2};
  for (int i = 0; i < tasks; i++) expect_equal("the order of tasks", order[i], wanted[i]);
}

int main(void) {
  if (!xylem_node_count || xylem_node_count() != 2) return 77;
  char* data = mmap(NULL, tasks * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(data, 1, tasks * page);
  for (int i = 0; i < tasks; i++) xylem_memory_move(data + i * page, page, i / 3, NULL);
  /* Hints place member 0 on node 0 and member 1 on node 1. */
  for (int round = 0; round < 20; round++) {
    xylem_hint_next(0, data, page, 1, 1);
    xylem_hint_next(1, data + (tasks - 1) * page, page, 1, 1);
    take(data);
  }
  return expect_result();
}
