/* Members that are kernel threads, more than processors, and spin on each other without a call: the
 * kernel lets each run. Region after region, after a barrier, and with more members than before;
 * then with tasks, which members that have ended come back for, and in teams inside. No worker has
 * to be added for that: the environment sets time slices that do not end while the test runs. */
#define _GNU_SOURCE
#include <omp.h>
#include <unistd.h>

#include "expect.h"

enum { regions = 20, most = 12 };

static int arrived;
static pid_t thread_of[most];

/* All of them, before anybody goes on. */
static void meet(int members) {
  const int others = __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
  const int last = (others - 1) / members * members + members;
  while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < last) {
  }
}

/* A member has the same kernel thread region after region, and no two have one. */
static void look_at_threads(int members, int known) {
  for (int i = 0; i < members; i++)
    for (int j = 0; j < i; j++) expect_true("a kernel thread each", thread_of[i] != thread_of[j]);
  static pid_t before[most];
  for (int i = 0; i < known; i++) expect_equal("a member's kernel thread", thread_of[i], before[i]);
  for (int i = 0; i < members; i++) before[i] = thread_of[i];
}

static void spin(int members, int known) {
  for (int region = 0; region < regions; region++) {
    arrived = 0;
#pragma omp parallel num_threads(members)
    {
      meet(members);
#pragma omp barrier
      meet(members);
      thread_of[omp_get_thread_num()] = gettid();
    }
    look_at_threads(members, region > 0 ? members : known);
  }
}

/* Who makes the tasks waits for none of them, and others have nothing to do before. */
static void tasks(int members) {
  int sum = 0;
#pragma omp parallel num_threads(members)
#pragma omp master
  {
    usleep(2000);
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(sum)
      __atomic_add_fetch(&sum, 1, __ATOMIC_RELAXED);
    }
  }
  expect_equal("tasks", sum, 100);
}

static void nested(int members) {
  int sum = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(members)
#pragma omp parallel num_threads(3)
  {
#pragma omp barrier
    __atomic_add_fetch(&sum, 1, __ATOMIC_RELAXED);
  }
  expect_equal("members of teams inside", sum, 3 * members);
}

int main(void) {
  spin(4, 0);
  spin(most, 4);
  spin(3, 3);
  for (int i = 0; i < regions; i++) tasks(8);
  for (int i = 0; i < regions; i++) nested(4);
  return expect_result();
}
