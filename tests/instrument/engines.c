/* What the engines do in a running program, on a synthetic machine of 4 nodes with 2 processors
   each. Eight threads work on blocks of pages, iteration by iteration. After each iteration a line:
   the share of accesses that were local, in percent; how many pages changed their node; and the
   node of each thread.

   Argument: own: each thread its own block, pages round robin over the nodes.
             apart: likewise, but the blocks are on the nodes in opposite order.
             loops: as apart, but a loop's iterations say whose block it is. The node is that of
                    each block's thread.
             loops-slower: likewise, but iterations are slower while blocks' threads are near them.
             slower: likewise, but iterations are slower while threads are near their blocks.
             bounce: each second iteration threads use each other's blocks. Iterations are told.
             told: as own, with another number of regions in each iteration; they are told. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "xylem/memory.h"
#include "xylem/xylem.h"

enum { threads = 8, pages = 6, all_pages = threads * pages, words = pages * 512, iterations = 16 };

static double array[threads * words] __attribute__((aligned(4096)));
double sums[threads * 512] __attribute__((aligned(4096)));
static int node_of[threads], block_of[threads];
static int homes[all_pages];

int omp_get_thread_num(void);

static int is_by_loops(const char* mode) { return strncmp(mode, "loops", 5) == 0; }

static void place(const char* mode) {
  for (int i = 0; i < threads * words; i++) array[i] = 1;
  xylem_memory_how how = {.placement = xylem_place_interleaved};
  if (strcmp(mode, "apart") != 0 && strcmp(mode, "slower") != 0 && !is_by_loops(mode)) {
    xylem_memory_bind(array, sizeof array, &how, 1);
    return;
  }
  for (int t = 0; t < threads; t++)
    xylem_memory_move(array + t * words, words * sizeof *array, (threads - 1 - t) / 2, NULL);
}

static void sweep(void) {
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    double* block = array + block_of[t] * words;
    node_of[t] = xylem_current_node();
    for (int i = 0; i < words; i++) block[i] += 1;
  }
}

static void sweep_by_loop(void) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
  for (int b = 0; b < threads; b++) {
    node_of[b] = xylem_current_node();
    for (int i = 0; i < words; i++) array[b * words + i] += 1;
  }
}

static void add_up_by_loop(void) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
  for (int b = 0; b < threads; b++)
    for (int i = 0; i < words; i++) sums[b * 512] += array[b * words + i];
}

static void add_up(void) {
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    const double* block = array + block_of[t] * words;
    for (int i = 0; i < words; i++) sums[t * 512] += block[i];
  }
}

/* In percent. */
static int show(void) {
  int now[all_pages], local = 0, moved = 0;
  xylem_memory_locate(array, sizeof array, now);
  for (int i = 0; i < all_pages; i++) moved += now[i] != homes[i];
  memcpy(homes, now, sizeof homes);
  for (int t = 0; t < threads; t++)
    for (int p = 0; p < pages; p++) local += homes[block_of[t] * pages + p] == node_of[t];
  printf("%d %d", local * 100 / all_pages, moved);
  for (int t = 0; t < threads; t++) printf(" %d", node_of[t]);
  printf("\n");
  return local * 100 / all_pages;
}

/* Memory of a synthetic machine is no slower elsewhere: this makes up for it. Threads that idle
   workers took to their data by chance are never all of them. */
static void wait_for_memory(const char* mode, int local) {
  const int far = local < 100;
  if (strcmp(mode, "apart") == 0) usleep(far ? 400000 : 5000);
  if (strcmp(mode, "slower") == 0) usleep(far ? 5000 : 400000);
  if (strcmp(mode, "loops") == 0) usleep(far ? 100000 : 5000);
  if (strcmp(mode, "loops-slower") == 0) usleep(far ? 5000 : 100000);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "own";
  const int bounces = strcmp(mode, "bounce") == 0, told = strcmp(mode, "told") == 0;
  const int by_loops = is_by_loops(mode);
  int sweeps = 0;
  place(mode);
  xylem_memory_locate(array, sizeof array, homes);
  for (int it = 0; it < iterations; it++) {
    if (told || bounces) xylem_iteration();
    for (int t = 0; t < threads; t++) block_of[t] = bounces && it % 2 ? threads - 1 - t : t;
    for (int turn = 0; turn < (told ? 1 + it * it % 3 : 1); turn++, sweeps++)
      by_loops ? sweep_by_loop() : sweep();
    by_loops ? add_up_by_loop() : add_up();
    wait_for_memory(mode, show());
  }
  double left = threads * words * (1.0 + sweeps);
  for (int i = 0; i < threads * words; i++) left -= array[i];
  double sum = 0;
  for (int t = 0; t < threads; t++) sum += sums[t * 512];
  printf("sum %.0f\n", sum);
  return left == 0 ? 0 : 1;
}
