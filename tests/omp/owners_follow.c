/* Members that were placed near the memory they own, four with much to do on the first of two nodes
 * of two processors, four with little on the second: some of the first go to the second with their
 * memory. Argument: "none": they may not, and nobody leaves its node; "slow": they are slow there,
 * and come back with their memory, for good. */
#define XYLEM_WEAK
#include <omp.h>
#include <string.h>
#include <time.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { members = 8, heavy = 4, most_runs = 600, more_runs = 60 };
static const size_t bytes = 1 << 20;
static char* memory[members];
static int node_of[members], is_slow;

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void burn(double seconds) {
  const double until = processor_time() + seconds;
  while (processor_time() < until) continue;
}

static void own(int me) {
  memory[me] = xylem_malloc_on_node(bytes, me < heavy ? 0 : 1);
  memset(memory[me], 1, bytes);
  expect_equal("attach", xylem_memory_attach(memory[me]), 0);
}

/* What members own they have attached in this region. */
static void work(void) {
#pragma omp parallel num_threads(members)
  {
    const int me = omp_get_thread_num();
    if (!memory[me]) own(me);
    node_of[me] = xylem_current_node();
    const int far = is_slow && me < heavy && node_of[me] == 1;
    burn(me >= heavy ? 0.001 : far ? 0.016 : 0.004);
  }
}

/* Of those with much to do. */
static int on_second_node(void) {
  int count = 0;
  for (int i = 0; i < heavy; i++) count += node_of[i] == 1;
  return count;
}

/* Runs until some of them, or none, are on the second node. */
static void work_until(int some) {
  for (int run = 0; run < most_runs; run++) {
    work();
    if (run > 0 && (on_second_node() > 0) == some) return;
  }
}

static void expect_memory_beside(void) {
  for (int i = 0; i < members; i++) {
    int node = -1;
    expect_equal("locate", xylem_memory_locate(memory[i], 1, &node), 0);
    expect_equal("node of a member's memory", node, node_of[i]);
  }
}

int main(int argc, char** argv) {
  if (!xylem_current_node) return 99;
  const char* how = argc > 1 ? argv[1] : "";
  is_slow = !strcmp(how, "slow");
  work();
  work();
  expect_equal("with much to do, on the second node, at first", on_second_node(), 0);
  if (strcmp(how, "none") != 0) {
    work_until(1);
    expect_true("some go", on_second_node() > 0);
    expect_memory_beside();
  }
  if (is_slow) work_until(0);
  int gone = 0;
  for (int run = 0; run < more_runs; run++) {
    work();
    gone += on_second_node() > 0;
  }
  expect_equal("runs with some of them on the second node", gone, *how ? 0 : more_runs);
  expect_memory_beside();
  return expect_result();
}
