/* Two program threads that open regions at once (two roots): counts come right, members of one root
 * may spin on flags that members of the other set, and both may meet in a pthread barrier. */
#include <omp.h>
#include <pthread.h>

#include "expect.h"

enum { members = 8, regions = 100 };

static int flag[2][members];
static pthread_barrier_t meeting;

static void counts(void) {
  for (int turn = 0; turn < regions; turn++) {
    int ran = 0;
#pragma omp parallel num_threads(members)
    {
      add_one(&ran);
#pragma omp barrier
      expect_equal("members of this root", load(&ran), members);
    }
  }
}

/* Each member waits for the same member of the other root: root 0 first sets, root 1 first waits.
 */
static void spin_across(int root) {
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    if (root == 0) store(&flag[0][me], 1);
    while (!reached(&flag[1 - root][me], 1)) {
    }
    if (root == 1) store(&flag[1][me], 1);
  }
}

static void meet_across(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 3; turn++) pthread_barrier_wait(&meeting);
}

static void* one_root(void* argument) {
  int root = *(int*)argument;
  expect_equal("threads outside a region", omp_get_num_threads(), 1);
  counts();
  spin_across(root);
  meet_across();
  counts();
  return NULL;
}

static void two_roots(void) {
  pthread_t thread[2];
  int number[2] = {0, 1};
  for (int r = 0; r < 2; r++) {
    for (int i = 0; i < members; i++) store(&flag[r][i], 0);
  }
  for (int r = 0; r < 2; r++) pthread_create(&thread[r], NULL, one_root, &number[r]);
  for (int r = 0; r < 2; r++) pthread_join(thread[r], NULL);
}

static void main_is_a_root(void) {
  pthread_t thread;
  int number[2] = {0, 1};
  for (int r = 0; r < 2; r++) {
    for (int i = 0; i < members; i++) store(&flag[r][i], 0);
  }
  pthread_create(&thread, NULL, one_root, &number[1]);
  one_root(&number[0]);
  pthread_join(thread, NULL);
}

int main(void) {
  pthread_barrier_init(&meeting, NULL, 2 * members);
  two_roots();
  main_is_a_root();
  two_roots();
  return expect_result();
}
