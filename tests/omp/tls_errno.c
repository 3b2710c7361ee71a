/* errno belongs to the OpenMP thread: its value survives barriers, locks, yields and the failing
 * calls of other members that share the worker. A C program without thread-local data of its own.
 */
#include <errno.h>
#include <omp.h>
#include <unistd.h>

#include "expect.h"

/* Not inlined: the compiler takes errno's address to be constant within one function. */
__attribute__((noinline)) static int errno_now(void) { return errno; }
__attribute__((noinline)) static void errno_becomes(int value) { errno = value; }

static void across_barriers(int members) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 50; turn++) {
    int mine = 1000 + omp_get_thread_num() * 100 + turn;
    errno_becomes(mine);
#pragma omp barrier
    expect_equal("errno after a barrier", errno_now(), mine);
  }
}

static void across_failing_calls(int members) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 20; turn++) {
    if (omp_get_thread_num() % 2) {
      expect_equal("close(-1)", close(-1), -1);
      expect_equal("errno of close(-1)", errno_now(), EBADF);
    } else {
      expect_equal("chdir", chdir("/no/such/folder"), -1);
      expect_equal("errno of chdir", errno_now(), ENOENT);
    }
#pragma omp barrier
    expect_equal("errno after the others failed", errno_now(),
                 omp_get_thread_num() % 2 ? EBADF : ENOENT);
#pragma omp barrier
  }
}

static void across_locks_and_yields(int members) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 20; turn++) {
    int mine = 5000 + omp_get_thread_num();
    errno_becomes(mine);
    omp_set_lock(&lock);
#pragma omp taskyield
    expect_equal("errno inside a lock", errno_now(), mine);
    omp_unset_lock(&lock);
#pragma omp critical
    expect_equal("errno inside a critical", errno_now(), mine);
  }
  omp_destroy_lock(&lock);
}

static void across_a_region(int members) {
  errno_becomes(77);
#pragma omp parallel num_threads(members)
  if (omp_get_thread_num() > 0) errno_becomes(omp_get_thread_num());
  expect_equal("the initial thread's errno after a region", errno_now(), 77);
}

int main(void) {
  across_barriers(16);
  across_failing_calls(16);
  across_locks_and_yields(16);
  across_a_region(16);
  return expect_result();
}
