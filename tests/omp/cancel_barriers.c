/* Barriers that are no cancellation points, when a member has left the region by cancelling it:
 * those of copyprivate, and of functions that the region calls. The members that stay go on without
 * the one that left. Registered with OMP_CANCELLATION=true. Stock libgomp 12 hangs. */
#include <omp.h>
#include <unistd.h>

#include "expect.h"

/* What is outside of the cancelled region's text: none of its barriers can be cancelled. (The
 * standard wants no barriers there; that is no reason to wait for ever.) */
__attribute__((noinline)) static int meet_elsewhere(int* met) {
  int value = 0;
  add_one(met);
#pragma omp single copyprivate(value)
  value = 42;
#pragma omp barrier
  return value;
}

/* Those who stay meet each other at all barriers, and do not wait for the one who left. */
static void barriers_without_the_leaver(int members, int late) {
  int met = 0, past = 0;
  const int stay = members - 1;
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() == members / 2) {
      if (late) usleep(500);
#pragma omp cancel parallel
    }
    for (int i = 1; i <= 3; i++) {
      expect_equal("copyprivate without the leaver", meet_elsewhere(&met), 42);
      expect_between("members there", load(&met), i * stay, 3 * stay);
    }
    add_one(&past);
    int value = 0;
#pragma omp single copyprivate(value)
    value = 43;
    expect_equal("copyprivate", value, 43);
  }
  expect_equal("members past the barriers", past, stay);
}

int main(void) {
  expect_equal("omp_get_cancellation", omp_get_cancellation(), 1);
  for (int turn = 0; turn < 30; turn++) {
    for (int members = 1; members <= 13; members += 3) {
      barriers_without_the_leaver(members, turn % 3 == 0);
    }
  }
  return expect_result();
}
