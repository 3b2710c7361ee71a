/* fork() after a parallel region: the child opens regions, nested teams and tasks at once and exits
 * with its code; so does its own child; the parent goes on with its teams; and many children at
 * once. Also a fork before the first region and by a thread that is not the first. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"
#include "quiet_fork.h"

static long fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void work(void) {
  omp_set_max_active_levels(3);
  int ran = 0;
#pragma omp parallel num_threads(8)
  {
    add_one(&ran);
#pragma omp barrier
#pragma omp parallel num_threads(2)
    add_one(&ran);
  }
  expect_equal("members", ran, 8 + 16);
  long sum = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < 1000; i++) sum += i;
  expect_equal("sum", sum, 499500);
#pragma omp parallel num_threads(4)
#pragma omp single
  expect_equal("fib(12)", fib(12), 144);
}

static void expect_child(pid_t child, int code) {
  int status = 0;
  expect_equal("waitpid", waitpid(child, &status, 0), child);
  expect_equal("child left by exit", WIFEXITED(status), 1);
  expect_equal("child's exit code", WEXITSTATUS(status), code);
}

/* A child that works, also by children of its own, and exits with the code, or 1 if a check failed.
 */
static pid_t start_child(int code, int grandchildren) {
  pid_t child = fork_when_quiet();
  if (child != 0) return child;
  work();
  for (int i = 0; i < grandchildren; i++) expect_child(start_child(20 + i, 0), 20 + i);
  work();
  exit(expect_result() != 0 ? 1 : code);
}

static void* fork_from_thread(void* unused) {
  (void)unused;
  work();
  pid_t child = fork_when_quiet();
  if (child == 0) {
    work();
    _exit(expect_result() != 0 ? 1 : 9);
  }
  work();
  expect_child(child, 9);
  return NULL;
}

int main(void) {
  expect_child(start_child(5, 0), 5);
  work();
  expect_child(start_child(6, 2), 6);
  work();
  pid_t children[4];
  for (int i = 0; i < 4; i++) children[i] = start_child(10 + i, 0);
  work();
  for (int i = 0; i < 4; i++) expect_child(children[i], 10 + i);
  pthread_t thread;
  pthread_create(&thread, NULL, fork_from_thread, NULL);
  pthread_join(thread, NULL);
  work();
  return expect_result();
}
