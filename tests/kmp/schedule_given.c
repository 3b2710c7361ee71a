/* OMP_SCHEDULE as omp_get_schedule() shows it to a program that is linked with libomp. The
 * arguments are the kind as a number, 1 where the monotonic modifier is written, and the chunk. */
#include <omp.h>
#include <stdlib.h>

#include "expect.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  omp_sched_t kind;
  int chunk = -1;
  omp_get_schedule(&kind, &chunk);
  expect_equal("kind", (unsigned)kind & 0x7fffffffu, atoi(argv[1]));
  expect_equal("monotonic", (unsigned)kind >> 31, atoi(argv[2]));
  expect_equal("chunk", chunk, atoi(argv[3]));
  long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < 1000; i++) sum += i;
  expect_equal("sum", sum, 499500);
  return expect_result();
}
