/* A process whose seccomp filter, set before the first region, lets through what libgomp calls and
 * what libc calls for it, and answers EPERM to all else: as sandboxes are made for libgomp. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

enum { members = 16, inner = 3, rounds = 5, tasks = 50 };

static const int let_through[] = {
    SYS_read,         SYS_write,          SYS_close,        SYS_mmap,
    SYS_munmap,       SYS_mprotect,       SYS_brk,          SYS_futex,
    SYS_clone,        SYS_clone3,         SYS_rseq,         SYS_set_robust_list,
    SYS_exit,         SYS_exit_group,     SYS_madvise,      SYS_sched_getaffinity,
    SYS_sched_yield,  SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_rt_sigreturn,
    SYS_clock_gettime};
enum { calls = sizeof let_through / sizeof let_through[0] };

static int refuse_all_else(void) {
  struct sock_filter filter[2 + 2 * calls] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  int length = 1;
  for (int i = 0; i < calls; i++) {
    filter[length++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, let_through[i], 0, 1);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  struct sock_fprog program = {(unsigned short)length, filter};
  /* Not by prctl(): who imports that has kernel threads. */
  if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static int work(void) {
  int sum = 0;
#pragma omp parallel num_threads(members) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++) sum += i;
#pragma omp parallel num_threads(inner) reduction(+ : sum)
    sum += omp_get_thread_num();
#pragma omp single
    for (int i = 0; i < tasks; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
      sum += 1;
    }
  }
  return sum;
}

int main(void) {
  omp_set_max_active_levels(2);
  expect_equal("the filter is set", refuse_all_else(), 0);
  expect_equal("the filter refuses", (int)syscall(SYS_getppid), -1);
  expect_equal("by EPERM", errno, EPERM);
  for (int i = 0; i < rounds; i++)
    expect_equal("sum", work(), 100 * 99 / 2 + members * (inner * (inner - 1) / 2) + tasks);
  return expect_result();
}
