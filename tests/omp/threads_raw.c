/* What a program asks of the kernel directly, past the C library, and what others give a kernel
 * thread from outside (a cgroup, a keyring, a namespace): where each OpenMP thread is a kernel
 * thread it stays with that one, over switches and regions. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20 };

static long tid[most_members];
static char folder[most_members][64]; /* where /proc shows the thread, its cgroup among the rest */

static void learn(void) {
  int me = omp_get_thread_num();
  char name[16];
  tid[me] = syscall(SYS_gettid);
  memset(folder[me], 0, sizeof folder[me]);
  expect_true("readlink", readlink("/proc/thread-self", folder[me], sizeof folder[me] - 1) > 0);
  snprintf(name, sizeof name, "raw-%d", (unsigned char)me);
  expect_equal("PR_SET_NAME", syscall(SYS_prctl, PR_SET_NAME, name, 0, 0, 0), 0);
  expect_equal("PR_SET_TIMERSLACK", syscall(SYS_prctl, PR_SET_TIMERSLACK, 50000L + me, 0, 0, 0), 0);
}

static void is_same(void) {
  int me = omp_get_thread_num();
  char expected[16], name[16] = "", place[64] = "";
  snprintf(expected, sizeof expected, "raw-%d", (unsigned char)me);
  syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0);
  expect_equal("kernel thread", syscall(SYS_gettid), tid[me]);
  expect_equal("name", strcmp(name, expected), 0);
  expect_equal("timer slack", syscall(SYS_prctl, PR_GET_TIMERSLACK, 0, 0, 0, 0), 50000 + me);
  expect_true("readlink", readlink("/proc/thread-self", place, sizeof place - 1) > 0);
  expect_equal("its place in /proc", strcmp(place, folder[me]), 0);
}

int main(void) {
  begin_threads();
#pragma omp parallel num_threads(members)
  {
    learn();
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      is_same();
    }
  }
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      is_same();
      meet_and_move();
      is_same();
    }
  }
  return expect_result();
}
