/* What a member makes may run wherever the process may, where nobody asked for places: a child of
 * system or popen, a spawned one, and a thread. The program itself asks for no affinity. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_move.h"

extern char** environ;

static int expected;

/* nproc counts what the process may run on; grep asks the kernel for its list. */
static int by_popen(void) {
  int seen = -1;
  FILE* pipe = popen("unset OMP_NUM_THREADS OMP_THREAD_LIMIT; exec nproc", "r");
  if (!pipe || fscanf(pipe, "%d", &seen) != 1) seen = -1;
  if (pipe) pclose(pipe);
  return seen;
}

static int by_system(void) {
  char command[128];
  snprintf(command, sizeof command,
           "unset OMP_NUM_THREADS OMP_THREAD_LIMIT; test \"$(nproc)\" -eq %d", expected);
  return system(command);
}

static int by_spawn(void) {
  char wanted[16];
  char* words[] = {"sh", "-c",
                   "unset OMP_NUM_THREADS OMP_THREAD_LIMIT; test \"$(nproc)\" -eq \"$0\"", wanted,
                   NULL};
  pid_t child = -1;
  int status = -1;
  snprintf(wanted, sizeof wanted, "%d", expected);
  if (posix_spawnp(&child, "sh", NULL, NULL, words, environ) != 0) return -1;
  waitpid(child, &status, 0);
  return status;
}

int main(void) {
  begin_threads();
  expected = by_popen();
  if (expected < 2) return 77;
#pragma omp parallel num_threads(members)
  {
    meet_and_move();
    expect_equal("nproc in popen", by_popen(), expected);
    expect_equal("nproc in system", by_system(), 0);
    expect_equal("nproc in posix_spawn", by_spawn(), 0);
    meet_and_move();
  }
  return expect_result();
}
