/* How a program ends: each case runs this program again with the case's name and checks the status:
 * codes from main, from exit() and _exit() inside regions, signals, atexit handlers, a region
 * inside an atexit handler, and pthread_exit by main. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

extern char** environ;

static int warmed;

static void warm_up(void) {
#pragma omp parallel num_threads(4)
  add_one(&warmed);
}

static int from_main(void) { return 3; }

static int by_master(void) {
#pragma omp parallel num_threads(4)
  if (omp_get_thread_num() == 0) exit(5);
  return 99;
}

static int by_master_others_wait(void) {
#pragma omp parallel num_threads(4)
  {
    if (omp_get_thread_num() == 0) {
      usleep(2000);
      exit(6);
    }
#pragma omp barrier
  }
  return 99;
}

static int by_member(void) {
#pragma omp parallel num_threads(4)
  {
    if (omp_get_thread_num() == 3) exit(7);
#pragma omp barrier
  }
  return 99;
}

static int by_nested_member(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  {
    if (omp_get_ancestor_thread_num(1) == 1 && omp_get_thread_num() == 1) _exit(8);
#pragma omp barrier
  }
  return 99;
}

static int by_task(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp task
  exit(9);
  return 99;
}

static int by_abort(void) {
#pragma omp parallel num_threads(4)
  if (omp_get_thread_num() == 2) abort();
  return 99;
}

static int by_fault(void) {
#pragma omp parallel num_threads(4)
  if (omp_get_thread_num() == 1) *(volatile int*)16 = 1;
  return 99;
}

static int by_kill(void) {
#pragma omp parallel num_threads(4)
  {
    if (omp_get_thread_num() == 1) kill(getpid(), SIGTERM);
    usleep(1000000);
  }
  return 99;
}

static void first_handler(void) { _exit(warmed == 40 ? 41 : 98); }
static void second_handler(void) { warmed = 40; }

static int by_handlers(void) {
  atexit(first_handler);
  atexit(second_handler);
#pragma omp parallel num_threads(4)
  if (omp_get_thread_num() == 0) exit(1);
  return 99;
}

static void region_in_handler(void) {
  int ran = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp barrier
    add_one(&ran);
  }
  _exit(ran == 4 ? 43 : 97);
}

static int region_at_exit(void) {
  atexit(region_in_handler);
  return 1;
}

static inline int by_pthread_exit(void) {
  pthread_exit(NULL);
  return 99;
}

typedef struct Case {
  const char* name;
  int (*run)(void);
  int code; /* The exit code expected; negative: the signal. */
} Case;

static const Case cases[] = {
    {"from_main", from_main, 3},
    {"by_master", by_master, 5},
    {"by_master_others_wait", by_master_others_wait, 6},
    {"by_member", by_member, 7},
    {"by_nested_member", by_nested_member, 8},
    {"by_task", by_task, 9},
    {"by_abort", by_abort, -SIGABRT},
    {"by_fault", by_fault, -SIGSEGV},
    {"by_kill", by_kill, -SIGTERM},
    {"by_handlers", by_handlers, 41},
    {"region_at_exit", region_at_exit, 43},
#ifndef __SANITIZE_THREAD__ /* libtsan's own thread stays when all others have ended */
    {"by_pthread_exit", by_pthread_exit, 0},
#endif
};

enum { case_count = sizeof cases / sizeof cases[0] };

static int code_of(const char* name) {
  char* const arguments[] = {"exit_codes", (char*)name, NULL};
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) != 0) return -1000;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int count, char** arguments) {
  if (count == 1) {
    for (int i = 0; i < case_count; i++) {
      expect_equal(cases[i].name, code_of(cases[i].name), cases[i].code);
    }
    return expect_result();
  }
  warm_up();
  for (int i = 0; i < case_count; i++) {
    if (strcmp(arguments[1], cases[i].name) == 0) return cases[i].run();
  }
  return 96;
}
