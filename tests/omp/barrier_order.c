/* Members that share a processor leave a barrier in the order of their numbers, whoever came last:
 * programs whose threads spin on what a lower one sets find it set. Where a processor has two
 * ("pairs") that holds for a region's first barriers, and for all once a thread has spun. */
#include <omp.h>
#include <string.h>

#include "expect.h"

enum { rounds = 1000, most_members = 5, first_rounds = 64 };

static int order[rounds][most_members];
static _Atomic int came[rounds];

static int is_in_order(const int* numbers, int members) {
  for (int i = 0; i < members; ++i)
    if (numbers[i] != i) return 0;
  return 1;
}

/* The monitor may bring a second kernel thread where other programs keep this one waiting: so a
 * tenth may be out of order. */
static void expect_order(const char* what, int members, int counted) {
  memset(came, 0, sizeof came);
#pragma omp parallel num_threads(members)
  for (int round = 0; round < rounds; ++round) {
    order[round][came[round]++] = omp_get_thread_num();
#pragma omp barrier
  }
  int in_order = 0;
  for (int round = 0; round < counted; ++round) in_order += is_in_order(order[round], members);
  expect_between(what, in_order, counted * 9 / 10, counted);
}

/* The first spins until the second has begun, which stands behind it. */
static void spin(void) {
  _Atomic int begun = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1)
    begun = 1;
  else
    while (!begun) {
    }
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "pairs") == 0) {
    expect_order("a region's first rounds", 2, first_rounds);
    spin();
    expect_order("rounds after a thread has spun", 2, rounds);
  } else {
    expect_order("rounds in the order of numbers", most_members, rounds);
  }
  return expect_result();
}
