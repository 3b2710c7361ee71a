/* fork() again and again while other threads of the program open regions, with barriers, tasks,
 * ordered loops and locks: locks of all ranks are taken and left meanwhile. Each child,
 * which has none of these threads, opens regions itself, and so does a child of its own. */
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { busy_threads = 3, forks = 30, inner = 2 };

static int over; /* by atomic operations */

static int fib(int n) {
  int a = 0, b = 0;
  if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n) if (n > 6)
  a = fib(n - 1);
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void work(void) {
  int members = 0, turns = 0, result = 0;
  omp_lock_t
      lock; /* not a critical section: held by another thread, the child would wait for ever */
  omp_init_lock(&lock);
#pragma omp parallel num_threads(4) shared(members, turns, result)
  {
    omp_set_lock(&lock);
    members++;
    omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp single
    result = fib(10);
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 8; i++) {
#pragma omp ordered
      turns++;
    }
#pragma omp parallel num_threads(inner)
    {
#pragma omp atomic
      members++;
    }
  }
  omp_destroy_lock(&lock);
  expect_equal("members", members, 4 + 4 * inner);
  expect_equal("turns", turns, 8);
  expect_equal("fib(10)", result, 55);
}

static void* be_busy(void* unused) {
  omp_set_max_active_levels(2);
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) work();
  return unused;
}

static void expect_child(pid_t child) {
  int status = 0;
  expect_equal("waitpid", waitpid(child, &status, 0), child);
  expect_equal("the child's status", status, 0);
}

static pid_t start_child(int generations) {
  pid_t child = fork();
  if (child != 0) return child;
  work();
  if (generations > 1) expect_child(start_child(generations - 1));
  _exit(expect_result() != 0);
}

int main(void) {
  pthread_t threads[busy_threads];
  omp_set_max_active_levels(2);
  for (int i = 0; i < busy_threads; i++) pthread_create(&threads[i], NULL, be_busy, NULL);
  for (int i = 0; i < forks; i++) expect_child(start_child(1 + i % 2));
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < busy_threads; i++) pthread_join(threads[i], NULL);
  return expect_result();
}
