/* gettid: a program that asks for it finds one kernel thread behind each OpenMP thread, the same
 * over switches and from region to region, the process's first behind the first. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20 };

static pid_t tid[most_members];

static void is_steady(void) {
  pid_t mine = tid[omp_get_thread_num()];
  expect_equal("gettid", gettid(), mine);
  expect_equal("the kernel's own word", syscall(SYS_gettid), mine);
  expect_equal("a signal may be sent to it", syscall(SYS_tgkill, getpid(), mine, 0), 0);
}

int main(void) {
  begin_threads();
#pragma omp parallel num_threads(members)
  {
    tid[omp_get_thread_num()] = gettid();
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      is_steady();
    }
  }
  expect_equal("the first thread's", tid[0], getpid());
  for (int i = 0; i < members; i++) {
    for (int j = 0; j < i; j++) expect_true("kernel threads differ", tid[i] != tid[j]);
  }
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      is_steady();
      meet_and_move();
      is_steady();
    }
  }
  return expect_result();
}
