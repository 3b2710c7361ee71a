/* Scheduling class, niceness, input and output priority: Linux keeps them for each thread. What a
 * member sets for itself it has until it sets another, and nobody else has it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20 };

static int class_of(int member) { return member % 2 ? SCHED_BATCH : SCHED_OTHER; }
static int nice_of(int member) { return member % 4; }

static void is_own(void) {
  int me = omp_get_thread_num(), policy = -1;
  struct sched_param parameters;
  expect_equal("sched_getscheduler", sched_getscheduler(0), class_of(me));
  pthread_getschedparam(pthread_self(), &policy, &parameters);
  expect_equal("pthread_getschedparam", policy, class_of(me));
  errno = 0;
  expect_equal("getpriority", getpriority(PRIO_PROCESS, 0), nice_of(me));
}

static void set_own(void) {
  int me = omp_get_thread_num();
  struct sched_param parameters = {0};
  int failed = me % 4 == 1 ? pthread_setschedparam(pthread_self(), SCHED_BATCH, &parameters)
                           : sched_setscheduler(0, class_of(me), &parameters);
  expect_equal("setting one's class", failed, 0);
  expect_equal("setpriority", setpriority(PRIO_PROCESS, 0, nice_of(me)), 0);
}

int main(void) {
  begin_threads();
  if (getpriority(PRIO_PROCESS, 0) != 0 || sched_getscheduler(0) != SCHED_OTHER) return 77;
#pragma omp parallel num_threads(members)
  {
    set_own();
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      is_own();
    }
  }
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      is_own();
      meet_and_move();
      is_own();
    }
  }
  return expect_result();
}
