/* A million small blocks from 16 threads, on all nodes, passed on and freed elsewhere: every page
 * that is looked at is where the kernel was asked to put it, nothing is left, and memory is used
 * again. heaps COUNT: blocks in all. */
#define _GNU_SOURCE
#define XYLEM_WEAK
#include <stdlib.h>

#include "blocks.h"
#include "kernel_view.h"

enum { threads = 16, most_kib_kept = 160 * 1024 };

int main(int argc, char** argv) {
  if (!xylem_malloc_on_node) return 77;
  int count = argc > 1 ? atoi(argv[1]) : 1 << 20;
  locate = kernel_locate;
  long before = kernel_status("VmRSS");
  pass_blocks_on(threads, count / threads);
  long after = kernel_status("VmRSS");
  printf("%d blocks on %d nodes; resident: %ld KiB before, %ld after\n", count, xylem_node_count(),
         before, after);
  /* A leak of the blocks would be some 600 MiB; threads keep a little of each size and node. */
  expect_between("KiB that stay resident", after - before, 0, most_kib_kept);
  xylem_memory_statistics statistics;
  xylem_memory_query(&statistics, sizeof statistics);
  expect_equal("refused calls", statistics.refused, 0);
  return expect_result();
}
