/* sched_getcpu on fibers: the answer is in the process's mask and agrees with the getcpu system
 * call, up to a migration between the calls. A copied restartable-sequences area would lie here. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

static int cpu_by_system_call(void) {
  unsigned cpu = 0;
  syscall(SYS_getcpu, &cpu, NULL, NULL);
  return (int)cpu;
}

static int samples;
static int wrong;
static cpu_set_t allowed;

static void sample(void) {
  int before = cpu_by_system_call();
  int seen = sched_getcpu();
  int after = cpu_by_system_call();
  expect_true("sched_getcpu is in the mask", seen >= 0 && CPU_ISSET(seen, &allowed));
  if (before == after) {
    add_one(&samples);
    if (seen != before) add_one(&wrong);
  }
}

int main(void) {
  sched_getaffinity(0, sizeof allowed, &allowed);
#pragma omp parallel num_threads(16)
  for (int turn = 0; turn < 100; turn++) {
    sample();
    if (turn % 10 == omp_get_thread_num() % 10) usleep(200);
#pragma omp barrier
  }
  sample();
  expect_between("samples without a migration", samples, 100, 1601);
  /* There and back between two system calls is possible, but rare. */
  expect_between("sched_getcpu against getcpu, disagreeing", wrong, 0, 1 + samples / 100);
  return expect_result();
}
