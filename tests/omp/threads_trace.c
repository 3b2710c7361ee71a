/* ptrace: a tracer that follows clones sees the program to its end with the right code, stops it in
 * the midst of a region, reads a thread's registers and lets it go on. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 40, code = 23 };

/* The program that is traced: members move, and one asks for stops. */
static void traced(void) {
  raise(SIGSTOP);
  int sum = 0;
#pragma omp parallel num_threads(members) reduction(+ : sum)
  for (int turn = 0; turn < turns; turn++) {
    meet_and_move();
    if (turn == turns / 2 && omp_get_thread_num() == members - 1) raise(SIGTRAP);
    sum++;
  }
  _exit(sum == members * turns ? code : 1);
}

/* What one stop of a thread asks for: the signal to hand on. */
static int answer(pid_t thread, int status, int* traps) {
  int signal = WSTOPSIG(status);
  if (signal == SIGTRAP && status >> 16 == 0) {
    struct user_regs_struct registers;
    expect_equal("PTRACE_GETREGS", ptrace(PTRACE_GETREGS, thread, 0, &registers), 0);
    errno = 0;
    ptrace(PTRACE_PEEKDATA, thread, (void*)registers.rsp, 0);
    expect_equal("PTRACE_PEEKDATA at the stack", errno, 0);
    ++*traps;
  }
  return signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
}

int main(void) {
  begin_threads();
  int status = 0, traps = 0, clones = 0;
  pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(77);
    traced();
  }
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return 77;
  expect_equal("PTRACE_SETOPTIONS",
               ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL), 0);
  ptrace(PTRACE_CONT, child, 0, 0);
  for (;;) {
    pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 || (thread == child && !WIFSTOPPED(status))) break;
    if (!WIFSTOPPED(status)) continue;
    clones += status >> 8 == (SIGTRAP | (PTRACE_EVENT_CLONE << 8));
    ptrace(PTRACE_CONT, thread, 0, (void*)(long)answer(thread, status, &traps));
  }
  expect_true("the traced program ended", WIFEXITED(status));
  expect_equal("its code", WEXITSTATUS(status), code);
  expect_equal("stops in a region", traps, 1);
  expect_true("its kernel threads were seen", clones >= 1);
  return expect_result();
}
