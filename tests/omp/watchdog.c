/* XYLEM_WATCHDOG=1: a program that makes progress is left alone for as long as it lives, whether it
 * computes without a switch, opens region after region, or is in no region. With the word `hangs`:
 * one whose threads all wait is told and aborted. */
#include <omp.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { members = 4 };
static const double seconds = 2.5; /* more than the watchdog allows to stand still */

static void compute_without_switch(void) {
#pragma omp parallel num_threads(members)
  {
    const double end = expect_seconds() + seconds;
    while (expect_seconds() < end) {
    }
  }
}

static void open_regions(void) {
  const double end = expect_seconds() + seconds;
  while (expect_seconds() < end) {
#pragma omp parallel num_threads(members)
    {
#pragma omp barrier
    }
  }
}

static void be_in_no_region(void) {
  const double end = expect_seconds() + seconds;
  while (expect_seconds() < end) usleep(10000);
#pragma omp parallel num_threads(members)
  {}
}

static void hang(void) {
  sem_t never;
  sem_init(&never, 0, 0);
#pragma omp parallel num_threads(members)
  sem_wait(&never);
}

int main(int count, char** words) {
  (void)words;
  if (count > 1) {
    const pid_t child = fork();
    if (child == 0) {
      hang();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    expect_true("the program that hangs was aborted",
                WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    return expect_result();
  }
  compute_without_switch();
  open_regions();
  be_in_no_region();
  return expect_result();
}
