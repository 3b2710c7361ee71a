/* What a kernel thread may do is each thread's own: capabilities dropped, a seccomp filter, the
 * privilege bit. A program that does so in the first thread before the first region has it in every
 * member; one member's alone stays that member's. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20 };

static unsigned effective(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  memset(data, 0, sizeof data);
  expect_equal("capget", syscall(SYS_capget, &header, data), 0);
  return data[0].effective;
}

static void drop(int capability) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  memset(data, 0, sizeof data);
  syscall(SYS_capget, &header, data);
  data[0].effective &= ~(1u << capability);
  expect_equal("capset", syscall(SYS_capset, &header, data), 0);
}

/* getppid answers EPERM from here on. */
static int refuse_getppid(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int refused(void) { return syscall(SYS_getppid) == -1; }

/* Before the first region: everybody's. */
static int for_all(void) {
  unsigned before = effective();
  drop(CAP_SYS_NICE);
  int filtered = refuse_getppid() == 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    meet_and_move();
    expect_equal("capabilities of a new thread", effective(), before & ~(1u << CAP_SYS_NICE));
    expect_equal("filter of a new thread", refused(), filtered);
    expect_equal("no new privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 1);
  }
  return expect_result();
}

/* In a region: its own. Every member with an odd number drops one. */
static int for_some(void) {
  unsigned before = effective();
#pragma omp parallel num_threads(members)
  {
    int odd = omp_get_thread_num() % 2;
    if (odd) drop(CAP_SYS_NICE);
    int filtered = odd && refuse_getppid() == 0;
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      expect_equal("own capabilities", effective(), odd ? before & ~(1u << CAP_SYS_NICE) : before);
      expect_equal("own filter", refused(), filtered);
    }
  }
  return expect_result();
}

static void in_a_child(const char* what, int (*body)(void)) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    begin_threads();
    exit(body());
  }
  waitpid(child, &status, 0);
  expect_equal(what, status, 0);
}

/* Argument: `some` asks as well for what one member does for itself alone. */
int main(int count, char** arguments) {
  in_a_child("before the first region", for_all);
  if (count > 1 && strcmp(arguments[1], "some") == 0) in_a_child("by some members", for_some);
  return expect_result();
}
