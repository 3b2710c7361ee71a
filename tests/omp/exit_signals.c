/* A program's own signal handlers: SIGSEGV on an alternate stack is called for a real fault and for
 * a stack overflow, in the initial thread and in a member; SIGALRM, SIGUSR1 and SIGPROF arrive
 * while regions run, without a system call or a region going wrong. */
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

extern char** environ;

enum { alternate_bytes = 64 * 1024 };

static char* alternate;
static char* expected_fault;

static void on_fault(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  char here;
  int on_alternate = &here >= alternate && &here < alternate + alternate_bytes;
  int right_place = expected_fault == NULL || (char*)info->si_addr == expected_fault;
  _exit(!on_alternate ? 61 : !right_place ? 62 : 60);
}

static void use_alternate_stack(void) {
  alternate =
      mmap(NULL, alternate_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack = {.ss_sp = alternate, .ss_size = alternate_bytes};
  sigaltstack(&stack, NULL);
}

static void catch_faults(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
}

__attribute__((noinline)) static int overflow(int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = 1;
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

static void fault(void) {
  expected_fault = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *(volatile char*)expected_fault = 1;
}

static void go_wrong(int by_overflow) {
  if (by_overflow) {
    overflow(0);
  } else {
    fault();
  }
}

static int in_initial_thread(int by_overflow) {
#pragma omp parallel num_threads(4)
  {
#pragma omp barrier
  } use_alternate_stack();
  catch_faults();
  go_wrong(by_overflow);
  return 99;
}

static int in_member(int by_overflow) {
  catch_faults();
#pragma omp parallel num_threads(4)
  if (omp_get_thread_num() == 2) {
    use_alternate_stack();
    go_wrong(by_overflow);
  }
  return 99;
}

static int in_member_zero(int by_overflow) {
  use_alternate_stack();
  catch_faults();
#pragma omp parallel num_threads(4)
  if (omp_get_thread_num() == 0) go_wrong(by_overflow);
  return 99;
}

static int code_of(const char* name, const char* how) {
  char* const arguments[] = {"exit_signals", (char*)name, (char*)how, NULL};
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) != 0) return -1000;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int ticks;

static void on_tick(int number) {
  (void)number;
  add_one(&ticks);
}

static void regions_under_signals(int which, int timer) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  sigaction(which, &action, NULL);
  struct itimerval every = {{0, 1000}, {0, 1000}};
  setitimer(timer, &every, NULL);
  store(&ticks, 0);
  double until = expect_seconds() + 5;
  int turn = 0;
  while ((turn < 300 || load(&ticks) < 20) && expect_seconds() < until) {
    long sum = 0;
#pragma omp parallel num_threads(8) reduction(+ : sum)
    {
#pragma omp barrier
#pragma omp for schedule(dynamic, 10)
      for (int i = 0; i < 1000; i++) sum += i;
    }
    expect_equal("sum under signals", sum, 499500);
    turn++;
  }
  memset(&every, 0, sizeof every);
  setitimer(timer, &every, NULL);
  expect_between("signals handled", load(&ticks), 20, 1 << 30);
}

static int run_case(char** arguments) {
  int by_overflow = strcmp(arguments[2], "overflow") == 0;
  if (strcmp(arguments[1], "initial") == 0) return in_initial_thread(by_overflow);
  if (strcmp(arguments[1], "zero") == 0) return in_member_zero(by_overflow);
  return in_member(by_overflow);
}

int main(int count, char** arguments) {
  if (count == 3) return run_case(arguments);
  expect_equal("fault in the initial thread", code_of("initial", "fault"), 60);
  expect_equal("fault in member 0", code_of("zero", "fault"), 60);
  expect_equal("fault in a member", code_of("member", "fault"), 60);
  expect_equal("overflow in the initial thread", code_of("initial", "overflow"), 60);
  expect_equal("overflow in member 0", code_of("zero", "overflow"), 60);
  expect_equal("overflow in a member", code_of("member", "overflow"), 60);
  regions_under_signals(SIGALRM, ITIMER_REAL);
  regions_under_signals(SIGPROF, ITIMER_PROF);
  return expect_result();
}
