/* Members that share a processor leave a barrier in the order of their numbers, whoever came last:
 * programs whose threads spin on what a lower one sets find it set. */
#include <omp.h>

#include "expect.h"

enum { rounds = 1000, members = 5 };

static int order[rounds][members];
static _Atomic int came[rounds];

static int is_in_order(const int* numbers) {
  for (int i = 0; i < members; ++i)
    if (numbers[i] != i) return 0;
  return 1;
}

int main(void) {
  int in_order = 0;
#pragma omp parallel num_threads(members)
  for (int round = 0; round < rounds; ++round) {
    order[round][came[round]++] = omp_get_thread_num();
#pragma omp barrier
  }
  for (int round = 0; round < rounds; ++round) in_order += is_in_order(order[round]);
  /* The monitor may bring a second kernel thread where other programs keep this one waiting. */
  expect_between("rounds in the order of numbers", in_order, rounds * 9 / 10, rounds);
  return expect_result();
}
