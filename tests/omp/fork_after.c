/* fork() after a parallel region: the child opens regions, nested teams and tasks at once and exits
 * with its code; so does its own child; the parent goes on with its teams; and many children at
 * once. Also a fork before the first region and by a thread that is not the first. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

/* GCC 12's libtsan and libasan do not take their allocators' locks around fork(): a child made
 * while another thread is inside one, as a thread that begins is, may wait for that thread for
 * ever. Under them the process forks only when its other threads sleep, and have not run between
 * two looks. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#include <dirent.h>
#include <string.h>

/* How often the thread has given its processor up; -1 if it does not sleep. */
static long long switches_of(const char* thread) {
  char path[300], line[200], state = 0;
  long long count = 0, more = 0;
  snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
  FILE* status = fopen(path, "r");
  if (!status) return -1; /* it has just ended */
  while (fgets(line, sizeof line, status)) {
    sscanf(line, "State: %c", &state);
    if (strstr(line, "voluntary_ctxt_switches:") && sscanf(strchr(line, ':'), ":%lld", &more) == 1)
      count += more; /* two lines: voluntary and not */
  }
  fclose(status);
  return state == 'S' ? count : -1;
}

/* The same of all threads but the caller together. */
static long long switches_of_others(void) {
  char own[20];
  long long sum = 0;
  snprintf(own, sizeof own, "%d", (int)gettid());
  DIR* threads = opendir("/proc/self/task");
  for (struct dirent* entry; threads && sum >= 0 && (entry = readdir(threads));) {
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, own) == 0) continue;
    const long long count = switches_of(entry->d_name);
    sum = count < 0 ? -1 : sum + count;
  }
  if (threads) closedir(threads);
  return sum;
}

static void wait_until_others_sleep(void) {
  long long before;
  do {
    before = switches_of_others();
    usleep(5000); /* the monitor's looks, while it is awake, come oftener */
  } while (before < 0 || switches_of_others() != before);
}
#else
static void wait_until_others_sleep(void) {}
#endif

static pid_t fork_now(void) {
  wait_until_others_sleep();
  return fork();
}

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
  pid_t child = fork_now();
  if (child != 0) return child;
  work();
  for (int i = 0; i < grandchildren; i++) expect_child(start_child(20 + i, 0), 20 + i);
  work();
  exit(expect_result() != 0 ? 1 : code);
}

static void* fork_from_thread(void* unused) {
  (void)unused;
  work();
  pid_t child = fork_now();
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
