/* critical: mutual exclusion, unnamed and named sections being different locks, nesting of
 * different names, one name in two functions, hints, and exclusion across teams that are open at
 * once. */
#include <omp.h>

#include "expect.h"

static long unnamed;
static long apple;
static long pear;

static void bump_apple(void) {
#pragma omp critical(apple) hint(omp_sync_hint_contended)
  apple++;
}

static void bump_apple_elsewhere(void) {
#pragma omp critical(apple) hint(omp_sync_hint_contended)
  apple++;
}

static void count_all(int members, int turns) {
  unnamed = apple = pear = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < turns; i++) {
#pragma omp critical
    unnamed++;
    bump_apple();
    bump_apple_elsewhere();
#pragma omp critical(pear)
    {
      pear++;
#pragma omp critical(apple) hint(omp_sync_hint_contended)
      apple++;
    }
  }
  expect_equal("unnamed", unnamed, (long)members * turns);
  expect_equal("named in three places", apple, 3L * members * turns);
  expect_equal("named, outer", pear, (long)members * turns);
}

/* Two members sit in sections of different names at the same time. */
static void names_are_different_locks(void) {
  int inside = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp critical(left)
    {
      add_one(&inside);
      while (load(&inside) < 2) {
#pragma omp taskyield
      }
    }
  } else {
#pragma omp critical(right)
    {
      add_one(&inside);
      while (load(&inside) < 2) {
#pragma omp taskyield
      }
    }
  }
  expect_equal("members in both sections", inside, 2);
}

static void across_teams(void) {
  omp_set_max_active_levels(3);
  long sum = 0;
  int inside = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 200; i++) {
#pragma omp critical
      {
        expect_equal("members inside", add_one(&inside), 1);
        sum++;
        store(&inside, 0);
      }
    }
  }
  expect_equal("sum over inner teams", sum, 16 * 200);
}

int main(void) {
  count_all(1, 100);
  count_all(4, 2000);
  count_all(16, 500);
  names_are_different_locks();
  across_teams();
  return expect_result();
}
