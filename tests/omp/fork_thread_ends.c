/* A thread that has opened regions forks while another one is opening regions, and ends in the
 * child, whose only thread it is: what it gives back belongs to a pool whose locks nobody may hold
 * there. */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { forks = 400, members_unless_told = 6, seconds_until_hung = 20 };

static int members;
static int over;
static int opened; /* a region of the other thread */

/* Members meet, so that each gets a stack and gives it back. */
static void region(void) {
#pragma omp parallel num_threads(members)
  {
#pragma omp barrier
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
  }
}

static void* open_regions(void* unused) {
  omp_set_max_active_levels(2);
  while (!load(&over)) {
    region();
    store(&opened, 1);
  }
  return unused;
}

/* Alone, so that it is the one whose kernel thread works; then beside the other. */
static void* open_and_fork(void* unused) {
  pthread_t other;
  omp_set_max_active_levels(2);
  region();
  store(&over, 0);
  store(&opened, 0);
  pthread_create(&other, NULL, open_regions, NULL);
  while (load(&opened) == 0) sched_yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds_until_hung);
    return unused;
  }
  int status = 0;
  waitpid(child, &status, 0);
  expect_equal("the child's status", status, 0);
  store(&over, 1);
  pthread_join(other, NULL);
  return unused;
}

int main(void) {
  members = expect_members(members_unless_told);
  for (int i = 0; i < forks && load(&expect_failures) == 0; i++) {
    pthread_t forking;
    pthread_create(&forking, NULL, open_and_fork, NULL);
    pthread_join(forking, NULL);
  }
  return expect_result();
}
