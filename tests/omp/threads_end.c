/* Threads of the program that open a region and end leave no memory behind: thousands of them,
 * one after the other, each with tasks, loops and nested teams, must not grow the process. */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

enum { tasks = 20, warm_up = 500, threads = 2000, most_grown = 2 << 20 };

static int done;

static long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2) return 0;
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

static void* open_regions(void* unused) {
  int sum = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp single
    for (int i = 0; i < tasks; i++)
#pragma omp task
      add_one(&done);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 8; i++) sum += i;
#pragma omp parallel num_threads(2)
    add_one(&done);
  }
  expect_equal("sum of the loop", sum, 28);
#pragma omp task
  add_one(&done);
#pragma omp taskwait
  return unused;
}

static void run_threads(int count) {
  for (int i = 0; i < count; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, open_regions, NULL);
    pthread_join(thread, NULL);
  }
}

int main(void) {
  run_threads(warm_up);
  const long before = resident_bytes();
  run_threads(threads);
  const long grown = resident_bytes() - before;
  expect_equal("tasks and members of inner teams", done,
               (long)(warm_up + threads) * (tasks + 2 * 2 + 1));
  if (grown > most_grown) fprintf(stderr, "%d threads left %ld KiB\n", threads, grown >> 10);
  expect_true("memory is given back", grown <= most_grown);
  return expect_result();
}
