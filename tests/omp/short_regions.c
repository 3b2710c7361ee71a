/* Regions that were short a thousand times, and so may stay with their maker, and then are not:
 * members wait for each other by spinning, in pipes, at barriers, for tasks; they are slow; they
 * open teams of their own; the maker is what the others wait for, or waits for them. The same
 * region, so that nothing tells before. Run with XYLEM_SHORT_REGION large all of them count as
 * short. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "expect.h"

enum { threads = 4, warm = 3000 };
enum kind {
  empty,
  spin,
  spin_back,
  yield,
  pipes,
  barriers,
  tasks,
  taskyields,
  nested,
  slow,
  kinds
};

static int flag, ran, done;
static int ends[2];

static void wait_for(int value, int yields) {
  while (!became(&flag, value))
    if (yields) sched_yield();
}

static void spin_on(int me, int first, int last, int yields) {
  if (me == first) wait_for(1, yields);
  if (me == last) store(&flag, 1);
}

static void by_pipe(int me) {
  char byte = 1;
  if (me == 0) expect_equal("read", read(ends[0], &byte, 1), 1);
  if (me == threads - 1) expect_equal("write", write(ends[1], &byte, 1), 1);
}

static void by_task(int me) {
#pragma omp master
  {
#pragma omp task
    store(&flag, 1);
  }
  if (me == threads - 1) wait_for(1, 1);
}

static void by_taskyield(int me) {
  if (me == threads - 1) store(&flag, 1);
  while (!became(&flag, 1)) {
#pragma omp taskyield
  }
}

static void by_barriers(void) {
  for (int i = 0; i < 10; i++) {
    add_one(&done);
#pragma omp barrier
    expect_equal("arrived", load(&done), threads * (i + 1));
#pragma omp barrier
  }
}

static void by_teams(void) {
#pragma omp parallel num_threads(3)
  {
    add_one(&done);
#pragma omp barrier
    add_one(&done);
  }
}

static void region(enum kind what) {
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    if (what == spin) spin_on(me, 0, threads - 1, 0);
    if (what == spin_back) spin_on(me, threads - 1, 0, 0);
    if (what == yield) spin_on(me, 0, threads - 1, 1);
    if (what == pipes) by_pipe(me);
    if (what == barriers) by_barriers();
    if (what == tasks) by_task(me);
    if (what == taskyields) by_taskyield(me);
    if (what == nested) by_teams();
    if (what == slow) usleep(1000);
    add_one(&ran);
  }
}

static void each_kind_after_short_ones(void) {
  for (enum kind what = empty; what < kinds; what++) {
    int expected = 0;
    store(&ran, 0);
    for (int i = 0; i < warm; i++, expected += threads) region(empty);
    for (int i = 0; i < 3; i++, expected += threads) {
      store(&flag, 0);
      store(&done, 0);
      region(what);
      if (what == nested) expect_equal("members inside", load(&done), 2 * 3 * threads);
    }
    expect_equal("members", load(&ran), expected);
  }
}

static void* other_root(void* unused) {
  (void)unused;
  int mine = 0;
  for (int i = 0; i < warm; i++) {
#pragma omp parallel num_threads(3) reduction(+ : mine)
    mine += omp_get_thread_num();
  }
  expect_equal("members of another root", mine, 3 * warm);
  return NULL;
}

int main(void) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  if (pipe(ends) != 0) return 1;
  each_kind_after_short_ones();
  pthread_t others[2];
  for (int i = 0; i < 2; i++) pthread_create(&others[i], NULL, other_root, NULL);
  other_root(NULL);
  for (int i = 0; i < 2; i++) pthread_join(others[i], NULL);
  each_kind_after_short_ones();
  return expect_result();
}
