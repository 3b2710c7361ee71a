/* pthread_self and thrd_current: one for each OpenMP thread, steady over switches and regions,
 * unlike that of any other thread that lives, and right for what libc does with it. */
#include <pthread.h>
#include <threads.h>

#include "threads_move.h"

enum { turns = 20 };

static pthread_t self[most_members];
static thrd_t current[most_members];

static void is_steady(void) {
  int me = omp_get_thread_num();
  expect_true("pthread_self is steady", pthread_equal(self[me], pthread_self()));
  expect_true("thrd_current is steady", thrd_equal(current[me], thrd_current()));
}

static void within_a_region(void) {
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    self[me] = pthread_self();
    current[me] = thrd_current();
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      is_steady();
      int next = (me + 1) % members;
      expect_true("pthread_self differs", !pthread_equal(self[next], pthread_self()));
      expect_true("thrd_current differs", !thrd_equal(current[next], thrd_current()));
    }
  }
}

static void over_regions(void) {
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      is_steady();
      meet_and_move();
      is_steady();
    }
  }
}

static void* keep(void* seen) {
  *(pthread_t*)seen = pthread_self();
  return seen;
}

/* What a member makes has its own; a member may neither join nor be taken for it. */
static void of_made_threads(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    pthread_t thread, its;
    void* result = NULL;
    expect_equal("pthread_create", pthread_create(&thread, NULL, keep, &its), 0);
    expect_true("pthread_join of oneself is refused", pthread_join(pthread_self(), NULL) != 0);
    move_alone();
    expect_equal("pthread_join", pthread_join(thread, &result), 0);
    expect_true("its result", result == &its);
    expect_true("its identity", pthread_equal(thread, its));
    expect_true("not its maker's", !pthread_equal(thread, pthread_self()));
  }
}

/* Members of nested teams that live at the same time: no two are one. */
static void nested(void) {
  pthread_t all[most_members][4];
  int there[most_members];
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
#pragma omp parallel num_threads(4)
    {
      all[me][omp_get_thread_num()] = pthread_self();
      if (omp_get_thread_num() == 0) there[me] = omp_get_num_threads();
#pragma omp barrier
      move_alone();
      expect_true("a nested member's is steady",
                  pthread_equal(all[me][omp_get_thread_num()], pthread_self()));
#pragma omp barrier
    }
    expect_true("a maker's own", pthread_equal(all[me][0], self[me]));
#pragma omp barrier
    for (int i = 1; i < there[me]; i++) {
      expect_true("nested members differ", !pthread_equal(all[me][i], all[me][0]));
      for (int k = 1; k < i; k++)
        expect_true("nested members differ", !pthread_equal(all[me][i], all[me][k]));
    }
  }
}

int main(void) {
  begin_threads();
  within_a_region();
  expect_true("member 0 is the first thread", pthread_equal(self[0], pthread_self()));
  over_regions();
  of_made_threads();
  nested();
  return expect_result();
}
