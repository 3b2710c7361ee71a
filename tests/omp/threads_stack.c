/* A thread's stack: pthread_getattr_np tells where it is, the caller's variables lie in it, what it
 * says there is may be used, and the guard after it ends the process. Its size is OMP_STACKSIZE's.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 10, red_zone = 64 * 1024 };

static void bounds(char** low, size_t* bytes) {
  pthread_attr_t attributes;
  void* start = NULL;
  expect_equal("pthread_getattr_np", pthread_getattr_np(pthread_self(), &attributes), 0);
  expect_equal("pthread_attr_getstack", pthread_attr_getstack(&attributes, &start, bytes), 0);
  pthread_attr_destroy(&attributes);
  *low = start;
}

/* Writes so many bytes of the stack below the caller. */
__attribute__((noinline)) static char use(size_t bytes) {
  char* room = __builtin_alloca(bytes);
  for (size_t at = 0; at < bytes; at += 1024) room[bytes - 1 - at] = (char)at;
  __asm__ volatile("" ::"r"(room) : "memory");
  return room[bytes / 2];
}

static void own_bounds(void) {
  char* low[most_members];
#pragma omp parallel num_threads(members)
  {
    char here;
    size_t bytes = 0;
    int me = omp_get_thread_num();
    bounds(&low[me], &bytes);
    expect_true("a variable lies in its stack", &here >= low[me] && &here < low[me] + bytes);
    for (int turn = 0; turn < turns; turn++) {
      char* again = NULL;
      meet_and_move();
      bounds(&again, &bytes);
      if (me > 0) expect_true("the stack is steady", again == low[me]);
    }
    if (me > 0) {
      size_t left = (size_t)(&here - low[me]);
      expect_true("more than the red zone is left", left > 2 * red_zone);
      use(left - red_zone);
    }
#pragma omp barrier
    for (int other = 0; other < me; other++) expect_true("stacks differ", low[other] != low[me]);
#pragma omp barrier
  }
}

static volatile int deepest = 1 << 30;

__attribute__((noinline)) static int overflow(int depth) {
  volatile char room[4096];
  room[depth % 4096] = 1;
  return depth < deepest ? overflow(depth + 1) + room[depth % 4096] : 0;
}

static void guard(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
#pragma omp parallel num_threads(members)
    {
      meet_and_move();
      if (omp_get_thread_num() == members - 1) overflow(0);
      meet_and_move();
    }
    _exit(0);
  }
  waitpid(child, &status, 0);
  expect_true("an overflow ends the process", WIFSIGNALED(status));
  if (WIFSIGNALED(status)) expect_equal("by which signal", WTERMSIG(status), SIGSEGV);
}

/* setjmp and longjmp over switches, within a member. */
__attribute__((noinline)) static int passes_through_setjmp(void) {
  jmp_buf back;
  volatile int passes = 0;
  setjmp(back);
  passes++;
  meet_and_move();
  if (passes < 4) longjmp(back, 1);
  return passes;
}

static void jumps(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++)
    expect_equal("passes through setjmp", passes_through_setjmp(), 4);
}

/* A coroutine of the member's own, which gives way and opens a region on its own stack. */
static __thread ucontext_t caller, inside;
static int ran;

static void coroutine(void) {
  for (int turn = 0; turn < turns; turn++) {
    move_alone();
#pragma omp parallel num_threads(2)
    add_one(&ran);
    swapcontext(&inside, &caller);
  }
}

static void coroutines(void) {
  int teams = 0;
#pragma omp parallel num_threads(members) shared(teams)
  {
    size_t bytes = 256 * 1024;
    char* stack = malloc(bytes);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = bytes;
    inside.uc_link = &caller;
    makecontext(&inside, coroutine, 0);
    for (int turn = 0; turn < turns; turn++) {
      swapcontext(&caller, &inside);
      meet_and_move();
      add_one(&teams);
    }
#pragma omp barrier
    free(stack);
  }
  expect_equal("teams opened on coroutines' stacks", teams, members * turns);
  expect_between("their members", ran, teams, 2 * teams);
}

/* backtrace() ends, whatever fiber it begins in. */
static void backtraces(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    void* frame[256];
    meet_and_move();
    expect_between("frames of a backtrace", backtrace(frame, 256), 2, 60);
  }
}

int main(void) {
  begin_threads();
  guard(); /* before the first region: libgomp's do not outlive a fork */
  own_bounds();
  jumps();
  coroutines();
  backtraces();
  return expect_result();
}
