/* Extra workers, which come when a member is blocked in the kernel, take signals as the thread does
 * that opened the region: a SIGSEGV handler that recovers is called on them, and a child that is
 * made there inherits the program's own mask. */
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { members_unless_told = 8 };

static int members;
static char* page;
static volatile int touched;

static void make_usable(int signal) {
  (void)signal;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static int blocked_signals(void) {
  sigset_t set;
  int count = 0;
  sigprocmask(SIG_BLOCK, NULL, &set);
  for (int signal = 1; signal < NSIG; signal++) count += sigismember(&set, signal) == 1;
  return count;
}

static void expect_child(void) {
  const pid_t child = fork();
  if (child == 0) _exit(blocked_signals());
  int status = -1;
  waitpid(child, &status, 0);
  expect_true("the child ends", WIFEXITED(status));
  expect_equal("signals that a child does not take", WEXITSTATUS(status), 1);
}

/* Each but the last member waits for the next one in read(): more members than processors run only
 * because extra workers come. */
static void chain(void (*do_it)(void)) {
  int pipes[members][2];
  for (int i = 0; i < members; i++)
    if (pipe(pipes[i]) != 0) exit(77);
#pragma omp parallel num_threads(members)
  {
    const int mine = omp_get_thread_num();
    char byte = 0;
    if (mine < members - 1) expect_equal("read", read(pipes[mine + 1][0], &byte, 1), 1);
#pragma omp critical
    {
      expect_equal("signals that a member does not take", blocked_signals(), 1);
      do_it();
    }
    if (mine > 0) expect_equal("write", write(pipes[mine][1], &byte, 1), 1);
  }
  for (int i = 0; i < members; i++) close(pipes[i][0]), close(pipes[i][1]);
}

static void fault(void) {
  mprotect(page, 4096, PROT_NONE);
  page[0] = 1;
  touched++;
}

int main(void) {
  members = expect_members(members_unless_told);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_SETMASK, &set, NULL);
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 77;
  signal(SIGSEGV, make_usable);
  chain(fault);
  expect_equal("faults recovered", touched, members);
  chain(expect_child);
  return expect_result();
}
