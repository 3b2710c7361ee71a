/* What gdb_test.py debugs: three nested teams of two, in which member 0 waits in a barrier and
 * member 1 gives way until all have come; the last to come stops, or with an argument aborts. Each
 * has a value of its own. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { outer_members = 3, inner_members = 2 };

static int arrived, left, dies;

void stop_here(void);
__attribute__((noinline)) void stop_here(void) {
  if (dies) abort();
}

__attribute__((noinline)) static void wait_in_barrier(int outer) {
  volatile int token = 1000 + outer;
#pragma omp barrier
  if (token == 1000 + outer) __atomic_add_fetch(&left, 1, __ATOMIC_SEQ_CST);
}

__attribute__((noinline)) static void give_way(int outer) {
  volatile int token = 2000 + outer;
  if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == outer_members) stop_here();
  while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < outer_members) {
#pragma omp taskyield
  }
#pragma omp barrier
  if (token == 2000 + outer) __atomic_add_fetch(&left, 1, __ATOMIC_SEQ_CST);
}

int main(int count, char** arguments) {
  volatile int of_main = 4711;
  (void)arguments;
  dies = count > 1;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer_members)
  {
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(inner_members)
    if (omp_get_thread_num() == 0)
      wait_in_barrier(outer);
    else
      give_way(outer);
  }
  printf("left %d, %d\n", left, of_main);
  return left == outer_members * inner_members && of_main == 4711 ? 0 : 1;
}
