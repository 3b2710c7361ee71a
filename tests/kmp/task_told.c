/* What a tool may be told of inside tasks of Clang's, of which it is told nothing: locked sections,
 * regions and loops find the record of the task around. */
#include <omp.h>

#include "expect.h"

int main(void) {
  int locked = 0, looped = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp task shared(locked, looped) if (i % 5)
    {
#pragma omp critical
      locked++;
#pragma omp parallel for num_threads(2)
      for (int k = 0; k < 4; k++) __atomic_fetch_add(&looped, 1, __ATOMIC_RELAXED);
    }
  }
  expect_equal("locked sections in tasks", locked, 200);
  expect_equal("iterations in tasks", looped, 800);
  return expect_result();
}
