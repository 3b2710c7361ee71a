/* Under policy `memory` a team of which nobody told anything goes where its data was last found: by
 * what its tasks depend on, else by known ranges that nobody owns. On a synthetic machine of 4
 * nodes with 4 processors each, where every other policy leaves a team of 4 on the first node.
 * Argument: how many are to be at their data, all or none. */
#define XYLEM_WEAK
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/xylem/memory.h"
#include "expect.h"

enum { threads = 4, runs = 8, page = 4096, tasks = 64 };
static int node[16]; /* of each thread in the last run */

static char* on_node(int where, size_t bytes) {
  const xylem_memory_how how = {.placement = xylem_place_node, .node = where};
  char* block = xylem_malloc_placed(bytes, &how);
  if (!block) exit(99);
  memset(block, 1, bytes);
  return block;
}

static void small_team(void) {
#pragma omp parallel num_threads(threads)
  node[omp_get_thread_num()] = xylem_current_node();
}

static void other_team(void) {
#pragma omp parallel num_threads(threads)
  node[omp_get_thread_num()] = xylem_current_node();
}

static void large_team(void) {
#pragma omp parallel num_threads(16)
  node[omp_get_thread_num()] = xylem_current_node();
}

static void team_with_tasks(char* data) {
#pragma omp parallel num_threads(threads)
  {
    node[omp_get_thread_num()] = xylem_current_node();
#pragma omp single
    for (int i = 0; i < tasks; i++) {
      char* cell = data + i * page;
#pragma omp task depend(inout : cell[0])
      cell[1]++;
    }
  }
}

static int threads_on(int n, int where) {
  int count = 0;
  for (int i = 0; i < n; i++) count += node[i] == where;
  return count;
}

int main(int argc, char** argv) {
  const int finds = argc < 2 || strcmp(argv[1], "none") != 0;
  if (!xylem_malloc_placed) return 77;

  /* Nothing is known. */
  for (int run = 0; run < runs; run++) small_team();
  expect_equal("nothing is known", threads_on(threads, 0), threads);

  /* A range that nobody owns. */
  char* all = on_node(2, 4 << 20);
  for (int run = 0; run < runs; run++) other_team();
  expect_equal("at the range", threads_on(threads, 2), finds ? threads : 0);

  /* More threads than its node has processors: the others go elsewhere. */
  for (int run = 0; run < runs; run++) large_team();
  for (int where = 0; finds && where < 4; where++)
    expect_equal("16 threads", threads_on(16, where), 4);

  /* Tasks say more. */
  char* data = on_node(3, tasks * page);
  for (int run = 0; run < runs; run++) team_with_tasks(data);
  expect_equal("at what tasks depend on", threads_on(threads, 3), finds ? threads : 0);

  xylem_free(all);
  xylem_free(data);
  return expect_result();
}
