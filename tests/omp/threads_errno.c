/* errno in ordinary optimised C: compilers keep its address over a critical section, a lock and a
 * barrier, as the C library promises that it is constant. A missed ERANGE, or one that no call
 * set, is an errno of another thread. */
#include <errno.h>
#include <math.h>

#include "threads_move.h"

enum { turns = 2500, few_turns = 100 };

static const char* const number[2] = {"12345", "999999999999999999999999"};

/* One conversion; 1 if errno says what it must not say. */
static inline int wrong_once(int turn, long* sum) {
  errno = 0;
  *sum += strtol(number[turn % 2], NULL, 10);
  return (errno == ERANGE) != (turn % 2);
}

static void beside_a_critical(void) {
  int wrong = 0;
  long total = 0;
#pragma omp parallel num_threads(members) reduction(+ : wrong)
  for (int turn = 0; turn < turns; turn++) {
    long sum = 0;
    wrong += wrong_once(turn, &sum);
#pragma omp critical
    total ^= sum;
  }
  expect_equal("wrong errno beside a critical", wrong, 0);
}

static void across_a_critical(void) {
  int wrong = 0;
#pragma omp parallel num_threads(members) reduction(+ : wrong)
  for (int turn = 0; turn < turns; turn++) {
    long sum = 0;
    errno = 0;
#pragma omp critical
    sum = strtol(number[turn % 2], NULL, 10);
    wrong += sum == 0 || (errno == ERANGE) != (turn % 2);
  }
  expect_equal("wrong errno across a critical", wrong, 0);
}

static void beside_a_lock(void) {
  int wrong = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(members) reduction(+ : wrong)
  for (int turn = 0; turn < turns; turn++) {
    long sum = 0;
    omp_set_lock(&lock);
    wrong += wrong_once(turn, &sum);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  expect_equal("wrong errno beside a lock", wrong, 0);
}

static void across_barriers(void) {
  int wrong = 0;
#pragma omp parallel num_threads(members) reduction(+ : wrong)
  for (int turn = 0; turn < few_turns; turn++) {
    int mine = 1000 + omp_get_thread_num();
    errno = mine;
    meet_and_move();
    wrong += errno != mine;
    meet_and_move();
    long sum = 0;
    wrong += wrong_once(turn + omp_get_thread_num(), &sum);
  }
  expect_equal("wrong errno across barriers", wrong, 0);
}

static void across_tasks(void) {
  int wrong = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  for (int turn = 0; turn < turns; turn++) {
#pragma omp task firstprivate(turn) shared(wrong)
    {
      long sum = 0;
      int seen = wrong_once(turn, &sum);
#pragma omp taskyield
      errno = 0;
      seen += wrong_once(turn + 1, &sum);
      if (seen) add_one(&wrong);
    }
  }
  expect_equal("wrong errno in tasks", wrong, 0);
}

/* The mathematics library reports by errno as well. */
static void of_mathematics(void) {
  int wrong = 0;
  volatile double below = -1.0;
#pragma omp parallel num_threads(members) reduction(+ : wrong)
  for (int turn = 0; turn < few_turns; turn++) {
    errno = 0;
    volatile double root = turn % 2 ? log(below) : log(-below);
    (void)root;
    move_alone();
    wrong += (errno == EDOM) != (turn % 2);
  }
  expect_equal("wrong errno of log", wrong, 0);
}

int main(void) {
  begin_threads();
  beside_a_critical();
  across_a_critical();
  beside_a_lock();
  across_barriers();
  across_tasks();
  of_mathematics();
  return expect_result();
}
