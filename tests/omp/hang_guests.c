/* Regions opened from program threads that come and go: eight at a time, many generations, with
 * nested teams, tasks, and thread-private data of their own, while the main thread works, too. */
#include <omp.h>
#include <pthread.h>

#include "expect.h"

enum { guests = 8, generations = 12 };

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

static void* guest(void* argument) {
  int size = 1 + *(int*)argument % 5;
  omp_set_max_active_levels(3);
  for (int turn = 0; turn < 5; turn++) {
    int ran = 0;
#pragma omp parallel num_threads(size)
    {
      add_one(&ran);
      add_one(&total);
#pragma omp barrier
      expect_equal("a guest's team", load(&ran), size);
#pragma omp parallel num_threads(2)
      add_one(&total);
    }
    long result = 0;
#pragma omp parallel num_threads(size)
#pragma omp single
    result = fib(8);
    expect_equal("a guest's fib(8)", result, 21);
  }
  return NULL;
}

int main(void) {
  int expected = 0;
  int number[guests];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  for (int generation = 0; generation < generations; generation++) {
    pthread_t thread[guests];
    for (int i = 0; i < guests; i++) {
      number[i] = generation + i;
      expected += 5 * 3 * (1 + number[i] % 5);
      pthread_create(&thread[i], &attributes, guest, &number[i]);
    }
    int mine = generation;
    guest(&mine);
    expected += 5 * 3 * (1 + generation % 5);
    for (int i = 0; i < guests; i++) pthread_join(thread[i], NULL);
  }
  expect_equal("members over all guests", total, expected);
  return expect_result();
}
