/* Locks held while their holder is away: critical sections and omp locks across a sleep, a lock set
 * by one task and unset by another of the team, and locks taken in a chain by nested teams. */
#include <omp.h>
#include <unistd.h>

#include "expect.h"

static void critical_across_sleep(int members) {
  int inside = 0;
  int passed = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 2; turn++) {
#pragma omp critical(sleepy)
    {
      expect_equal("members inside", add_one(&inside), 1);
      usleep(1000);
      passed++;
      store(&inside, 0);
    }
  }
  expect_equal("members through the section", passed, 2 * members);
}

static void lock_across_yield_and_sleep(int members) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int inside = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 2; turn++) {
    omp_set_lock(&lock);
    expect_equal("holders", add_one(&inside), 1);
#pragma omp taskyield
    if (omp_get_thread_num() % 2) usleep(500);
    expect_equal("holders after a yield", load(&inside), 1);
    store(&inside, 0);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

/* Member i unsets lock i + 1 once it has got lock i: a token made of locks. */
static void handed_round(int members, int rounds) {
  omp_lock_t lock[16];
  for (int i = 0; i < members; i++) {
    omp_init_lock(&lock[i]);
    omp_set_lock(&lock[i]);
  }
  int order = 0;
  omp_unset_lock(&lock[0]);
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    for (int round = 0; round < rounds; round++) {
      omp_set_lock(&lock[me]);
      expect_equal("whose turn it is", order++ % members, me);
      omp_unset_lock(&lock[(me + 1) % members]);
    }
  }
  expect_equal("turns taken", order, members * rounds);
  for (int i = 0; i < members; i++) omp_destroy_lock(&lock[i]);
}

static void barrier_inside_outer_lock(void) {
  omp_set_max_active_levels(3);
  omp_lock_t lock;
  omp_init_lock(&lock);
  int sum = 0;
#pragma omp parallel num_threads(8)
  {
    omp_set_lock(&lock);
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
#pragma omp barrier
      sum++;
    }
    omp_unset_lock(&lock);
  }
  expect_equal("inner members under the outer lock", sum, 32);
  omp_destroy_lock(&lock);
}

int main(void) {
  for (int members = 4; members <= 16; members *= 2) {
    critical_across_sleep(members);
    lock_across_yield_and_sleep(members);
    handed_round(members, 20);
  }
  barrier_inside_outer_lock();
  return expect_result();
}
