/* A taskyield outside of a region, or in a team of one, has nobody to make room for: it does not go
 * to the kernel, or only now and then. Calls of sched_yield are counted by a filter of system calls
 * that turns each into a signal. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "expect.h"

enum { turns = 100000, most_calls = turns / 100, skipped = 77 };

static int calls; /* of sched_yield */

static void count_call(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  add_one(&calls);
#ifdef __x86_64__
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_RAX] = 0;
#else
  (void)context;
#endif
}

/* False where the kernel does not let it. */
static int count_yields(void) {
  struct sigaction action = {.sa_sigaction = count_call, .sa_flags = SA_SIGINFO};
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_yield, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  sigaction(SIGSYS, &action, NULL);
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static void expect_few(const char* where) {
  store(&calls, 0);
  for (int i = 0; i < turns; i++) {
#pragma omp taskyield
  }
  if (load(&calls) > most_calls && expect_failed())
    fprintf(stderr, "FAIL: %s: %d calls of sched_yield in %d taskyields\n", where, load(&calls),
            turns);
}

/* The runtime's own threads are there before the filter is, which so does not hold for them: a
 * thread that blocks signals would not outlive its call. */
static void start_workers(void) {
#pragma omp parallel num_threads(2 * omp_get_num_procs())
  {
#pragma omp barrier
  }
}

static int before_any_region(void) {
  if (!count_yields()) return skipped;
  expect_few("before any region");
  return expect_result();
}

static int after_a_region(void) {
  start_workers();
  if (!count_yields()) return skipped;
  expect_few("after a region");
#pragma omp parallel num_threads(1)
  expect_few("in a team of one");
#pragma omp parallel num_threads(2)
#pragma omp masked
#pragma omp parallel num_threads(1)
  expect_few("in a nested team of one");
  return expect_result();
}

int main(int argc, char** argv) {
  const int before = argc > 1 && strcmp(argv[1], "before") == 0;
  return before ? before_any_region() : after_a_region();
}
