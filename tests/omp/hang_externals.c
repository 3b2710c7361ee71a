/* Regions opened from program threads that come and go: eight at a time, many generations, with
 * nested teams, tasks, and thread-private data of their own, while the main thread works, too. */
#include <omp.h>
#include <pthread.h>

#include "expect.h"

enum { externals = 8, generations = 12 };

static int total;

static long fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void* external_thread(void* argument) {
  int size = 1 + *(int*)argument % 5;
  omp_set_max_active_levels(3);
  for (int turn = 0; turn < 5; turn++) {
    int ran = 0;
#pragma omp parallel num_threads(size)
    {
      add_one(&ran);
      add_one(&total);
#pragma omp barrier
      expect_equal("an external thread's team", load(&ran), size);
#pragma omp parallel num_threads(2)
      add_one(&total);
    }
    long result = 0;
#pragma omp parallel num_threads(size)
#pragma omp single
    result = fib(8);
    expect_equal("an external thread's fib(8)", result, 21);
  }
  return NULL;
}

int main(void) {
  int expected = 0;
  int number[externals];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  for (int generation = 0; generation < generations; generation++) {
    pthread_t thread[externals];
    for (int i = 0; i < externals; i++) {
      number[i] = generation + i;
      expected += 5 * 3 * (1 + number[i] % 5);
      pthread_create(&thread[i], &attributes, external_thread, &number[i]);
    }
    int mine = generation;
    external_thread(&mine);
    expected += 5 * 3 * (1 + generation % 5);
    for (int i = 0; i < externals; i++) pthread_join(thread[i], NULL);
  }
  expect_equal("members over all external threads", total, expected);
  return expect_result();
}
