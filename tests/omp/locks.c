/* omp_lock_t and omp_nest_lock_t: exclusion, test, hints, nesting counts, a lock taken by one task
 * and seen taken by others, many locks at once, and locks across nested teams. */
#include <omp.h>

#include "expect.h"

/* Stock libgomp of GCC 12 declares the hinted initialisers but does not define them: weak, so that
 * the program links against it and uses them where the runtime has them. */
#pragma weak omp_init_lock_with_hint
#pragma weak omp_init_nest_lock_with_hint

static void init_lock_hinted(omp_lock_t* lock, omp_sync_hint_t hint) {
  if (omp_init_lock_with_hint) {
    omp_init_lock_with_hint(lock, hint);
  } else {
    omp_init_lock(lock);
  }
}

static void init_nest_lock_hinted(omp_nest_lock_t* lock, omp_sync_hint_t hint) {
  if (omp_init_nest_lock_with_hint) {
    omp_init_nest_lock_with_hint(lock, hint);
  } else {
    omp_init_nest_lock(lock);
  }
}

static void exclusion(int members, int turns) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  long sum = 0;
  int inside = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < turns; i++) {
    omp_set_lock(&lock);
    expect_equal("holders of a lock", add_one(&inside), 1);
    sum++;
    store(&inside, 0);
    omp_unset_lock(&lock);
  }
  expect_equal("turns under the lock", sum, (long)members * turns);
  omp_destroy_lock(&lock);
}

static void test_lock(int members, int turns) {
  omp_lock_t lock;
  init_lock_hinted(&lock, omp_sync_hint_contended);
  long sum = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < turns; i++) {
    while (!omp_test_lock(&lock)) {
#pragma omp taskyield
    }
    sum++;
    omp_unset_lock(&lock);
  }
  expect_equal("turns by omp_test_lock", sum, (long)members * turns);
  omp_set_lock(&lock);
  int taken = 0;
#pragma omp parallel num_threads(members) reduction(+ : taken)
  taken += omp_test_lock(&lock);
  expect_equal("takers of a held lock", taken, 0);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
}

static void nest_counts(void) {
  omp_nest_lock_t lock;
  init_nest_lock_hinted(&lock, omp_sync_hint_speculative);
  for (int depth = 1; depth <= 5; depth++) {
    expect_equal("nesting count", omp_test_nest_lock(&lock), depth);
  }
  omp_set_nest_lock(&lock);
  expect_equal("count after set", omp_test_nest_lock(&lock), 7);
  for (int depth = 0; depth < 7; depth++) {
    int got = -1;
#pragma omp parallel num_threads(2) shared(got)
    if (omp_get_thread_num() == 1) got = omp_test_nest_lock(&lock);
    expect_equal("another thread's test", got, 0);
    omp_unset_nest_lock(&lock);
  }
  int got = -1;
#pragma omp parallel num_threads(2) shared(got)
  if (omp_get_thread_num() == 1) {
    got = omp_test_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
  }
  expect_equal("another thread's test of a free lock", got, 1);
  omp_destroy_nest_lock(&lock);
}

static void nested_sum(omp_nest_lock_t* lock, long* sum, int depth) {
  omp_set_nest_lock(lock);
  ++*sum;
  if (depth > 0) nested_sum(lock, sum, depth - 1);
  omp_unset_nest_lock(lock);
}

static void nest_exclusion(int members, int turns) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  long sum = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < turns; i++) nested_sum(&lock, &sum, 3);
  expect_equal("turns under the nest lock", sum, 4L * members * turns);
  omp_destroy_nest_lock(&lock);
}

static void many_locks(void) {
  omp_set_max_active_levels(3);
  enum { count = 100 };
  omp_lock_t lock[count];
  long sum[count] = {0};
  for (int i = 0; i < count; i++) omp_init_lock(&lock[i]);
#pragma omp parallel num_threads(4)
#pragma omp parallel num_threads(3)
  for (int i = 0; i < 1000; i++) {
    int at = i * 7 % count;
    omp_set_lock(&lock[at]);
    sum[at]++;
    omp_unset_lock(&lock[at]);
  }
  for (int i = 0; i < count; i++) {
    expect_equal("sum under one of many locks", sum[i], 120);
    omp_destroy_lock(&lock[i]);
  }
}

int main(void) {
  exclusion(2, 5000);
  exclusion(4, 3000);
  exclusion(16, 500);
  test_lock(4, 1000);
  test_lock(16, 50);
  nest_counts();
  nest_exclusion(4, 500);
  nest_exclusion(16, 100);
  many_locks();
  return expect_result();
}
