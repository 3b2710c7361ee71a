/* For Archer, which tells ThreadSanitizer what OpenMP orders: regions, nested ones, barriers,
 * loops, critical sections, tasks and their dependences, taskgroups. No race; with an argument one.
 */
#include <stdio.h>

static int shared, raced, chain, sums[8];

static void tasks(void) {
#pragma omp taskgroup
  for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i)
    sums[i] += i;
  }
  for (int i = 0; i < 8; ++i) sums[i] += 1;
  for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inout : chain)
    chain += 1;
  }
#pragma omp taskwait
  chain += 1;
}

static void nested(void) {
  int own = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    shared += 1;
#pragma omp single
    own = 1;
#pragma omp single
    own += 1;
  }
  own += 1;
}

int main(int count, char** words) {
  (void)words;
  for (int turn = 0; turn < 5; ++turn) {
#pragma omp parallel num_threads(4)
    {
      if (count > 1) raced += 1;
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 40; ++i) {
#pragma omp critical
        shared += i;
      }
#pragma omp single
      tasks();
      nested();
    }
    shared += 1;
  }
  printf("%d %d %d\n", shared, chain, sums[7]);
  return 0;
}
