/* Codelets and OpenMP regions in turn and at once, bursts with pauses between, and a child. */
#include <omp.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static atomic_int ran;

static int run(const xylem_view* views, void* argument) {
  (void)views;
  (void)argument;
  atomic_fetch_add(&ran, 1);
  return 0;
}

static const xylem_codelet running = {.cpu = run};

static void burst(int tasks) {
  const int before = atomic_load(&ran);
  for (int i = 0; i < tasks; ++i) CHECK(xylem_submit(&running, NULL, NULL) == 0);
  CHECK(xylem_wait_all() == 0);
  CHECK(atomic_load(&ran) == before + tasks);
}

static int threads_of(void) {
  int count = 0;
#pragma omp parallel reduction(+ : count)
  count += 1;
  return count;
}

int main(void) {
  const int threads = threads_of();
  for (int turn = 0; turn < 200; ++turn) {
    burst(turn % 7);
    CHECK(threads_of() == threads);
    if (turn % 50 == 0)
      usleep(turn % 100 == 0 ? 300000 : 2000); /* the crew's thread ends, or not */
  }
  for (int turn = 0; turn < 50; ++turn) { /* on their way while a region runs */
    for (int i = 0; i < 20; ++i) CHECK(xylem_submit(&running, NULL, NULL) == 0);
    CHECK(threads_of() == threads);
  }
  CHECK(xylem_wait_all() == 0);
  const pid_t child = fork();
  if (child == 0) {
    burst(10);
    _exit(threads_of() == threads ? 0 : 1);
  }
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  burst(10);
  return 0;
}
