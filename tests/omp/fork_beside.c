/* fork() while another thread of the program starts the runtime, and while it opens a region: the
 * child, which does not have that thread, opens regions itself. Two functions of libc that the
 * runtime calls on these ways are replaced by slow ones here, so that the fork falls in between. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { rounds = 5, slow_us = 20000 };
enum where { nowhere, starting, walking_modules };

typedef int (*Visit)(struct dl_phdr_info*, size_t, void*);
typedef int (*Iterate)(Visit, void*);

static Iterate libc_dl_iterate_phdr;
static int slow_place; /* where the next call is slow; by atomic exchange */
static int inside;     /* a slow call has begun, or the other thread is done without one */

static void be_slow_at(enum where place) {
  int expected = (int)place;
  if (!__atomic_compare_exchange_n(&slow_place, &expected, nowhere, 0, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST))
    return;
  __atomic_store_n(&inside, 1, __ATOMIC_SEQ_CST);
  usleep(slow_us);
}

/* Called when the machine is read, in the middle of the runtime's start. */
int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t* set) {
  be_slow_at(starting);
  long copied = syscall(SYS_sched_getaffinity, thread, bytes, set);
  return copied < 0 ? -1 : 0;
}

struct Walk {
  Visit visit;
  void* data;
};

static int slow_visit(struct dl_phdr_info* info, size_t bytes, void* raw) {
  be_slow_at(walking_modules); /* under the loader's lock */
  struct Walk* walk = raw;
  return walk->visit(info, bytes, walk->data);
}

/* Called when a region opens, to see whether libraries came. */
int dl_iterate_phdr(Visit visit, void* data) {
  struct Walk walk = {visit, data};
  return libc_dl_iterate_phdr(slow_visit, &walk);
}

static void region(int threads) {
  int ran = 0;
#pragma omp parallel num_threads(threads)
  __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
  expect_equal("members", ran, threads);
}

static void* open_a_region(void* unused) {
  (void)unused;
  region(2);
  __atomic_store_n(&inside, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

static void fork_beside(enum where place) {
  pthread_t other;
  __atomic_store_n(&inside, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&slow_place, place, __ATOMIC_SEQ_CST);
  pthread_create(&other, NULL, open_a_region, NULL);
  while (!__atomic_load_n(&inside, __ATOMIC_SEQ_CST)) sched_yield();
  pid_t child = fork();
  if (child == 0) {
    region(3);
    region(4);
    _exit(expect_result() != 0 ? 1 : 7);
  }
  region(3);
  pthread_join(other, NULL);
  int status = 0;
  expect_equal("waitpid", waitpid(child, &status, 0), child);
  expect_equal("child left by exit", WIFEXITED(status), 1);
  expect_equal("child's exit code", WEXITSTATUS(status), 7);
}

int main(void) {
  libc_dl_iterate_phdr = (Iterate)dlsym(RTLD_NEXT, "dl_iterate_phdr");
  fork_beside(starting);
  for (int round = 0; round < rounds; round++) fork_beside(walking_modules);
  return expect_result();
}
