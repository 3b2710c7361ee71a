/* A dynamic loop over the pieces of an array, again and again; each time another thread is the
   leader, which runs all that the others have not begun: these wait in their first piece until it
   is done. Asks the runtime, where there is one that answers, how many of the pages are on the node
   of the thread that had them last: eight times, in percent. Argument: runs of the loop. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "xylem/memory.h"

#pragma weak xylem_memory_locate

enum {
  threads = 8,
  words = 512,
  pieces = 64,
  piece_pages = 8,
  pages = pieces * piece_pages,
  answers = 8
};

static int owner[pieces];

/* Thread t is on node t / 2. -1: nobody answers. */
static int local(const double* array) {
  static int homes[pages + 1];
  if (!xylem_memory_locate) return -1;
  xylem_memory_locate(array, sizeof *array * pages * words, homes);
  int right = 0;
  for (int p = 0; p < pages; p++) right += homes[p] == owner[p / piece_pages] / 2;
  return right * 100 / pages;
}

static void add(double* array, int leader) {
  int leader_is_done = 0;
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
#pragma omp for schedule(dynamic) nowait
    for (int q = 0; q < pieces; q++) {
      while (me != leader && !__atomic_load_n(&leader_is_done, __ATOMIC_SEQ_CST)) usleep(20);
      owner[q] = me;
      for (long i = (long)q * piece_pages * words; i < (long)(q + 1) * piece_pages * words; i++)
        array[i] += 1;
    }
    if (me == leader) __atomic_store_n(&leader_is_done, 1, __ATOMIC_SEQ_CST);
  }
}

int main(int argc, char** argv) {
  const int part = (argc > 1 ? atoi(argv[1]) : 8000) / answers;
  double* array = malloc(sizeof *array * pages * words);
  for (long i = 0; i < (long)pages * words; i++) array[i] = 0;
  for (int answer = 0; answer < answers; answer++) {
    for (int run = 0; run < part; run++) add(array, run % threads);
    printf("%d%% ", local(array));
  }
  double sum = 0;
  for (long i = 0; i < (long)pages * words; i++) sum += array[i];
  printf("wrong %d\n", sum != (double)pages * words * answers * part);
  free(array);
  return 0;
}
