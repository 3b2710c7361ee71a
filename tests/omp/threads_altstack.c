/* Each OpenMP thread's alternate signal stack is its own: set by it, seen by it alone, used by a
 * handler that runs in it, and there in the next region. A stack that overflows is met there. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

#include "threads_move.h"

enum { turns = 20, stack_bytes = 64 * 1024 };

static char stack[most_members][stack_bytes] __attribute__((aligned(16)));
static int handled[most_members];
static __thread int member_here = -1;
static __thread sigjmp_buf back;

static int own_place(const void* address) {
  const char* place = address;
  return member_here >= 0 && place >= stack[member_here] &&
         place < stack[member_here] + stack_bytes;
}

static void on_usr1(int signal) {
  char here = (char)signal;
  expect_true("a handler on its member's stack", own_place(&here));
  if (member_here >= 0) add_one(&handled[member_here]);
}

static void on_segv(int signal) {
  char here = (char)signal;
  if (!own_place(&here)) _Exit(3);
  siglongjmp(back, 1);
}

static void set_own(void) {
  stack_t mine = {.ss_sp = stack[omp_get_thread_num()], .ss_size = stack_bytes};
  member_here = omp_get_thread_num();
  expect_equal("sigaltstack", sigaltstack(&mine, NULL), 0);
}

static void is_own(void) {
  stack_t now = {0};
  sigaltstack(NULL, &now);
  expect_true("own alternate stack", now.ss_sp == stack[omp_get_thread_num()]);
  expect_equal("its size", (long long)now.ss_size, stack_bytes);
}

static volatile int deepest = 1 << 30;

__attribute__((noinline)) static int overflow(int depth) {
  volatile char room[4096];
  room[depth % 4096] = 1;
  return depth < deepest ? overflow(depth + 1) + room[depth % 4096] : 0;
}

/* Overflows its stack; 1 when the handler brought it back. */
static int meets_the_guard(void) {
  if (sigsetjmp(back, 1) == 0) return overflow(0);
  return 1;
}

int main(void) {
  begin_threads();
  struct sigaction action = {.sa_handler = on_usr1, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  action.sa_handler = on_segv;
  sigaction(SIGSEGV, &action, NULL);
#pragma omp parallel num_threads(members)
  {
    set_own();
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      is_own();
      raise(SIGUSR1);
    }
    expect_equal("handled by this member", load(&handled[omp_get_thread_num()]), turns);
  }
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      is_own();
      meet_and_move();
      is_own();
      if (region < 3 && omp_get_thread_num() > 0)
        expect_equal("came back from an overflow", meets_the_guard(), 1);
    }
  }
  return expect_result();
}
