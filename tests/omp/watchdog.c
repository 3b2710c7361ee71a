/* XYLEM_WATCHDOG=1: a program that makes progress is left alone for as long as it lives, whether it
 * computes without a switch, opens region after region, or is in no region. Each is a process of
 * its own, all at once. With the word `hangs`: one whose threads all wait is told and aborted. */
#include <omp.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { members_unless_told = 4 };
static int members;
static const double seconds = 1.5; /* more than the watchdog allows to stand still */

static void compute_without_switch(void) {
#pragma omp parallel num_threads(members)
  {
    const double end = expect_seconds() + seconds;
    while (expect_seconds() < end) {
    }
  }
}

static void open_region(void) {
#pragma omp parallel num_threads(members)
  {
#pragma omp barrier
  }
}

static void open_regions(void) {
  const double end = expect_seconds() + seconds;
  while (expect_seconds() < end) open_region();
}

static void be_in_no_region(void) {
  open_region();
  const double end = expect_seconds() + seconds;
  while (expect_seconds() < end) usleep(10000);
  open_region();
}

static void hang(void) {
  sem_t never;
  sem_init(&never, 0, 0);
#pragma omp parallel num_threads(members)
  sem_wait(&never);
}

static pid_t start(void (*what)(void)) {
  const pid_t child = fork();
  if (child == 0) {
    what();
    _exit(expect_result());
  }
  return child;
}

static int end_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

int main(int count, char** words) {
  (void)words;
  members = expect_members(members_unless_told);
  if (count > 1) {
    const int status = end_of(start(hang));
    expect_true("the program that hangs was aborted",
                WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    return expect_result();
  }
  const pid_t computes = start(compute_without_switch), opens = start(open_regions),
              rests = start(be_in_no_region);
  expect_equal("end of the one that computes", end_of(computes), 0);
  expect_equal("end of the one that opens regions", end_of(opens), 0);
  expect_equal("end of the one in no region", end_of(rests), 0);
  return expect_result();
}
