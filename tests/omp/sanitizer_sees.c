/* Faults that a sanitizer must report on fibers as on kernel threads; the test passes if it does.
 *   race      members write one variable and nothing puts them in order (ThreadSanitizer)
 *   overflow  a member writes past an array on its stack, once it has waited for others and so may
 *             be on another kernel thread (AddressSanitizer) */
#include <stdio.h>
#include <string.h>

enum { members = 4, regions = 200 };

static int shared, arrived;

/* Two at once, as members that one worker runs in turn are in order. What they wait by orders
 * nothing. */
static void race(void) {
  for (int i = 0; i < regions; i++) {
#pragma omp parallel num_threads(members)
    {
      __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
      while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < i * members + 2) continue;
      shared++;
    }
  }
}

static void overflow(int length) {
#pragma omp parallel num_threads(members)
  {
    volatile char text[32];
    for (int i = 0; i < 10; i++) {
#pragma omp barrier
    }
    text[length] = 1;
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "race") == 0) race();
  if (argc > 1 && strcmp(argv[1], "overflow") == 0) overflow(32);
  printf("the fault was not seen\n");
  return 0;
}
