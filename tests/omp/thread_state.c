/* What a program sets for the kernel thread that an OpenMP thread is on is that thread's after a
 * barrier, a task and a further region, as on any runtime with kernel threads: its signal mask, its
 * signal stack, its processors, its name, its pthread_t. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

enum { most = 16, turns = 20, stack_bytes = 65536 };

static char stacks[most][stack_bytes];
static pthread_t threads[most];
static pid_t tids[most];
static int caught[most];
static cpu_set_t all;

static void count(int signal) {
  (void)signal;
  for (int i = 0; i < most; i++)
    if (pthread_equal(threads[i], pthread_self()))
      __atomic_add_fetch(&caught[i], 1, __ATOMIC_RELAXED);
}

static int cpu_for(int member) {
  int seen = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all) && seen++ == member % CPU_COUNT(&all)) return cpu;
  return 0;
}

static void set(int member) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGRTMIN + member % 8);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  stack_t stack = {.ss_sp = stacks[member], .ss_size = stack_bytes};
  sigaltstack(&stack, NULL);
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu_for(member), &cpus);
  if (member % 2)
    sched_setaffinity(0, sizeof cpus, &cpus);
  else
    pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
  char name[16];
  snprintf(name, sizeof name, "member %d", member);
  pthread_setname_np(pthread_self(), name);
  threads[member] = pthread_self();
  tids[member] = (pid_t)syscall(SYS_gettid);
}

static void expect_mask(int member) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  for (int i = 0; i < 8; i++)
    expect_equal("signal mask", sigismember(&mask, SIGRTMIN + i), i == member % 8);
}

static void expect_own(int member) {
  expect_mask(member);
  stack_t stack;
  sigaltstack(NULL, &stack);
  expect_true("signal stack", stack.ss_sp == stacks[member]);
  cpu_set_t cpus;
  pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus);
  expect_equal("processors", CPU_COUNT(&cpus), 1);
  expect_true("processor", CPU_ISSET(cpu_for(member), &cpus));
  char name[16], expected[16];
  snprintf(expected, sizeof expected, "member %d", member);
  pthread_getname_np(pthread_self(), name, sizeof name);
  expect_true("name", strcmp(name, expected) == 0);
  expect_equal("kernel thread", syscall(SYS_gettid), tids[member]);
  pthread_attr_t attributes;
  void* low = NULL;
  size_t bytes = 0;
  expect_equal("pthread_getattr_np", pthread_getattr_np(pthread_self(), &attributes), 0);
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  const char* here = __builtin_frame_address(0);
  expect_true("bounds of the stack", here >= (char*)low && here < (char*)low + bytes);
}

static void region(int members, int first) {
#pragma omp parallel num_threads(members)
  {
    const int mine = omp_get_thread_num();
    if (first) set(mine);
    for (int turn = 0; turn < turns; turn++) {
#pragma omp barrier
      expect_own(mine);
#pragma omp critical
      expect_mask(mine);
    }
#pragma omp barrier
    expect_equal("pthread_kill", pthread_kill(threads[(mine + 1) % members], SIGUSR1), 0);
#pragma omp barrier
  }
}

static void whole(int members) {
  for (int i = 0; i < most; i++) caught[i] = 0;
  for (int i = 0; i < turns; i++) region(members, i == 0);
  for (int i = 0; i < members; i++) {
    for (int wait = 0; wait < 100000 && caught[i] == 0; wait++) usleep(100);
    expect_true("signals of a neighbour come", caught[i] > 0);
  }
}

int main(void) {
  sched_getaffinity(0, sizeof all, &all);
  signal(SIGUSR1, count);
  whole(omp_get_num_procs() < most ? omp_get_num_procs() : most);
  whole(8);
  whole(3);
  return expect_result();
}
