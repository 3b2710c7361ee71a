/* Affinity: what a member sets for itself it has until it sets another, from region to region; what
 * it makes inherits it; who sets nothing may run wherever the process may. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20 };

static cpu_set_t all;
static int processor[CPU_SETSIZE], processors;

static void one(cpu_set_t* set, int member) {
  CPU_ZERO(set);
  CPU_SET(processor[member % processors], set);
}

static int has(const cpu_set_t* expected) {
  cpu_set_t now, by_pthread;
  CPU_ZERO(&now);
  sched_getaffinity(0, sizeof now, &now);
  pthread_getaffinity_np(pthread_self(), sizeof by_pthread, &by_pthread);
  return CPU_EQUAL(&now, expected) && CPU_EQUAL(&by_pthread, expected);
}

static void* look(void* expected) { return has(expected) ? expected : NULL; }

static int made_thread_has(cpu_set_t* expected) {
  pthread_t thread;
  void* seen = NULL;
  pthread_create(&thread, NULL, look, expected);
  move_alone();
  pthread_join(thread, &seen);
  return seen == expected;
}

static int child_has(const cpu_set_t* expected) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) _exit(has(expected) ? 0 : 1);
  waitpid(child, &status, 0);
  return status == 0;
}

static void nobody_asked(void) {
#pragma omp parallel num_threads(members)
  {
    meet_and_move();
    expect_true("the process's processors", has(&all));
    expect_true("a made thread has them", made_thread_has(&all));
    expect_true("a made process has them", child_has(&all));
  }
}

static void own(void) {
#pragma omp parallel num_threads(members)
  {
    cpu_set_t mine;
    int me = omp_get_thread_num();
    one(&mine, me);
    int failed = me % 2 ? sched_setaffinity(0, sizeof mine, &mine)
                        : pthread_setaffinity_np(pthread_self(), sizeof mine, &mine);
    expect_equal("setting one's affinity", failed, 0);
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      expect_true("own processors", has(&mine));
      expect_true("runs there", CPU_ISSET(sched_getcpu(), &mine));
    }
    expect_true("a made thread inherits them", made_thread_has(&mine));
    expect_true("a made process inherits them", child_has(&mine));
  }
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      cpu_set_t mine;
      one(&mine, omp_get_thread_num());
      expect_true("own processors in the next region", has(&mine));
      meet_and_move();
    }
  }
}

int main(void) {
  begin_threads();
  if (sched_getaffinity(0, sizeof all, &all) != 0) return 77;
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (CPU_ISSET(i, &all)) processor[processors++] = i;
  }
  nobody_asked();
  own();
  return expect_result();
}
