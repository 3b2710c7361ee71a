/* A library for late_threads.c whose regions set what belongs to a kernel thread. */
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <unistd.h>

#include "expect.h"

enum { most = 16 };

int members_without_their_own(int members, int first);

static pid_t tids[most];

static int is_own(int member) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  for (int i = 0; i < 8; i++)
    if (sigismember(&mask, SIGRTMIN + i) != (i == member % 8)) return 0;
  return gettid() == tids[member];
}

static void set(int member) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGRTMIN + member % 8);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  tids[member] = gettid();
}

/* How many members of a region lost, over barriers, the kernel thread and the signal mask that they
 * took in this region if it is the `first`, else in the one before. */
int members_without_their_own(int members, int first) {
  int without = 0;
#pragma omp parallel num_threads(members) reduction(| : without)
  {
    const int mine = omp_get_thread_num();
    if (first) set(mine);
    for (int turn = 0; turn < 20; turn++) {
#pragma omp barrier
      if (!is_own(mine)) without |= 1 << mine;
#pragma omp barrier
    }
  }
  return __builtin_popcount((unsigned)without);
}
