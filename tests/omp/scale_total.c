/* More than a million nested threads in total: recursion that opens a team of four at each of ten
 * levels, without cut-off. Prints the peak of resident memory; fails above 20 GiB. */
#include <omp.h>

#include "scale.h"

enum { depth = 10 };

static int leaves;
static long members;

static void grow(int levels) {
  if (levels == 0) {
    add_one(&leaves);
    return;
  }
  int mine = 0;
#pragma omp parallel num_threads(4) shared(mine)
  {
    add_one(&mine);
    grow(levels - 1);
  }
  expect_equal("members of an inner team", mine, 4);
  __atomic_add_fetch(&members, mine, __ATOMIC_RELAXED);
}

int main(void) {
  omp_set_max_active_levels(depth + 1);
  double from = expect_seconds();
  grow(depth);
  printf("%ld members of nested teams in %.2f s\n", members, expect_seconds() - from);
  expect_equal("leaves", leaves, 1 << (2 * depth));
  expect_equal("members of all teams", members, ((1L << (2 * depth + 2)) - 4) / 3);
  check_peak_memory();
  return expect_result();
}
