/* Processes that members make: fork, vfork, posix_spawn, system, popen, and waiting for one's own
 * child; exec by a member, which takes the whole process over. */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 5 };

extern char** environ;

static int code_of(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) != child) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int by_fork(int code) {
  pid_t child = fork();
  if (child == 0) _exit(code);
  move_alone();
  return code_of(child);
}

static int by_vfork(char* command) {
  pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command, (char*)NULL);
    _exit(127);
  }
  move_alone();
  return code_of(child);
}

static int by_spawn(char* command) {
  pid_t child = -1;
  char* words[] = {"sh", "-c", command, NULL};
  if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) != 0) return -1;
  move_alone();
  return code_of(child);
}

static int by_popen(int code) {
  int seen = -1;
  char command[64];
  snprintf(command, sizeof command, "echo %d", code);
  FILE* pipe = popen(command, "r");
  if (!pipe) return -1;
  move_alone();
  if (fscanf(pipe, "%d", &seen) != 1) seen = -1;
  return pclose(pipe) == 0 ? seen : -1;
}

static void all_ways(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    char command[32];
    int code = 10 + omp_get_thread_num();
    snprintf(command, sizeof command, "exit %d", code);
    expect_equal("code of a forked child", by_fork(code), code);
    meet_and_move();
    expect_equal("code of a vforked child", by_vfork(command), code);
    expect_equal("code of a spawned child", by_spawn(command), code);
    int status = system(command);
    expect_equal("code of system", WEXITSTATUS(status), code);
    expect_equal("word of popen", by_popen(code), code);
    meet_and_move();
  }
}

/* A forked child opens a region of its own. */
static void child_computes(void) {
#pragma omp parallel num_threads(members)
  if (omp_get_thread_num() % 4 == 1) {
    pid_t child = fork();
    if (child == 0) {
      int ran = 0;
#pragma omp parallel num_threads(4) reduction(+ : ran)
      ran++;
      _exit(ran);
    }
    expect_between("members in a child", code_of(child), 1, 4);
  }
}

/* exec by one member: the process goes on as the new program, with its own number. */
static void exec_by(int who) {
  char wanted[64];
  pid_t child = fork();
  if (child == 0) {
    snprintf(wanted, sizeof wanted, "test $$ = %d && exit 21", (int)getpid());
#pragma omp parallel num_threads(members)
    {
      meet_and_move();
      if (omp_get_thread_num() == who) execl("/bin/sh", "sh", "-c", wanted, (char*)NULL);
      for (;;) move_alone();
    }
  }
  expect_equal("code of what was executed", code_of(child), 21);
}

int main(void) {
  begin_threads();
  exec_by(0);
  exec_by(members - 1);
  all_ways();
  child_computes();
  return expect_result();
}
