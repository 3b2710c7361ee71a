/* Processes made from inside a region, by every member: fork with exec and with _exit in the child,
 * vfork, posix_spawn, system() and popen(); the team goes on undisturbed. */
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

extern char** environ;

static int code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int by_fork_exec(void) {
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 31", (char*)NULL);
    _exit(99);
  }
  return code_of(child);
}

static int by_fork_exit(void) {
  pid_t child = fork();
  if (child == 0) _exit(31);
  return code_of(child);
}

static int by_vfork(void) {
  pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 31", (char*)NULL);
    _exit(99);
  }
  return code_of(child);
}

static int by_spawn(void) {
  char* const arguments[] = {"sh", "-c", "exit 31", NULL};
  pid_t child = 0;
  if (posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) != 0) return -1;
  return code_of(child);
}

static int by_system(void) {
  int status = system("exit 31");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int by_popen(void) {
  FILE* output = popen("echo 42; exit 31", "r");
  int number = 0;
  expect_equal("fields read from popen", fscanf(output, "%d", &number), 1);
  expect_equal("number read from popen", number, 42);
  int status = pclose(output);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

typedef int (*Way)(void);

static void in_a_team(int members, Way way, const char* what) {
  int ran = 0;
#pragma omp parallel num_threads(members)
  {
    expect_equal(what, way(), 31);
#pragma omp barrier
    add_one(&ran);
  }
  expect_equal("members that went on", ran, members);
}

int main(void) {
  static const Way ways[] = {by_fork_exec, by_fork_exit, by_vfork, by_spawn, by_system, by_popen};
  static const char* names[] = {"fork and exec", "fork and _exit", "vfork",
                                "posix_spawn",   "system",         "popen"};
  for (int i = 0; i < 6; i++) {
    expect_equal(names[i], ways[i](), 31);
    in_a_team(1, ways[i], names[i]);
    in_a_team(4, ways[i], names[i]);
    expect_equal(names[i], ways[i](), 31);
  }
  return expect_result();
}
