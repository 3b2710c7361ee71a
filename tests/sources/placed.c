/* Eight threads, each with its own block of an array that one thread has written first. Asks the
   runtime, where there is one that answers, how much of the array is on the nodes of the threads
   that use it: before the first iteration and after the last. Arguments: iterations, pages of a
   block. */
#include <stdio.h>
#include <stdlib.h>

#include "xylem/memory.h"

#pragma weak xylem_memory_locate

enum { threads = 8, words = 512 };
static int pages = 64;

/* Thread t is on node t / 2. In percent; -1: nobody answers. */
static int local(const double* array) {
  if (!xylem_memory_locate) return -1;
  int* homes = malloc(sizeof *homes * (threads * pages + 1));
  int right = 0;
  xylem_memory_locate(array, sizeof *array * threads * pages * words, homes);
  for (int p = 0; p < threads * pages; p++) right += homes[p] == p / pages / 2;
  free(homes);
  return right * 100 / (threads * pages);
}

static void add(double* array, double what) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int t = 0; t < threads; t++)
    for (long i = (long)t * pages * words; i < (long)(t + 1) * pages * words; i++) array[i] += what;
}

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? atoi(argv[1]) : 300;
  if (argc > 2) pages = atoi(argv[2]);
  double* array = malloc(sizeof *array * threads * pages * words);
  for (long i = 0; i < (long)threads * pages * words; i++) array[i] = 1;
  double sum = 0; /* of what was added, less what should have been */
  printf("before the first iteration: %d%%\n", local(array));
  long done = 0;
  for (; done < iterations || (argc > 3 && done < 200000 && local(array) < 85); done++)
    for (int turn = 0; turn < (done < iterations ? 1 : 100); turn++) {
      add(array, 1);
      add(array, 2);
      sum -= 3.0 * threads * pages * words;
    }
  printf("after the last: %d%%\n", local(array));
  for (long i = 0; i < (long)threads * pages * words; i++) sum += array[i];
  printf("sum %.0f\n", sum);
  free(array);
  return 0;
}
