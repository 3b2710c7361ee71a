/* The program's own thread on a processor of somebody else's: the worker that is bound there makes
 * room, and comes back when it may. "bound": threads that are bound to places stay where they are.
 * In a team as large as the machine, one kernel thread for each member. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

enum { processors_at_most = 1024 };

typedef struct {
  int tid;
  int cpu;
  int allowed; /* how many processors */
} place;

static place places[processors_at_most];
static int threads;

static void bind_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static void compute(double seconds) {
  const double end = expect_seconds() + seconds;
  while (expect_seconds() < end) {
  }
}

/* A region in which all members run at once. Returns whether each had a kernel thread of its own.
 */
static int look(void) {
#pragma omp parallel num_threads(threads)
  {
    place* mine = &places[omp_get_thread_num()];
    cpu_set_t set;
    compute(300e-6);
#pragma omp barrier
    compute(300e-6);
    sched_getaffinity(0, sizeof set, &set);
    mine->tid = (int)syscall(SYS_gettid);
    mine->cpu = sched_getcpu();
    mine->allowed = CPU_COUNT(&set);
  }
  for (int i = 0; i < threads; i++)
    for (int j = 0; j < i; j++)
      if (places[i].tid == places[j].tid) return 0;
  return 1;
}

static int is_main(int i) { return places[i].tid == getpid(); }

/* No other member was on the processor of the program's own thread. */
static int parted(void) {
  int main_cpu = -1, beside = 0;
  for (int i = 0; i < threads; i++)
    if (is_main(i)) main_cpu = places[i].cpu;
  for (int i = 0; i < threads; i++) beside += !is_main(i) && places[i].cpu == main_cpu;
  return main_cpu >= 0 && beside == 0;
}

static int workers_bound(void) {
  int bound = 1;
  for (int i = 0; i < threads; i++) bound &= is_main(i) || places[i].allowed == 1;
  return bound;
}

/* For a while: one that makes room is bound elsewhere for a moment. */
static int workers_stay_bound(void) {
  static int looks;
  looks = workers_bound() ? looks + 1 : 0;
  return looks == 100;
}

/* For as long as it takes: the test's own limit says when it is too long. */
static void wait_until(int (*holds)(void)) {
  while (!look() || !holds()) {
  }
}

static int node_of(int cpu) {
  unsigned node = 0;
  bind_to(cpu);
  syscall(SYS_getcpu, NULL, &node, NULL);
  return (int)node;
}

int main(int argc, char** argv) {
  const int bound = argc > 1;
  threads = omp_get_num_procs();
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  int first = -1, other = -1;
  look();
  for (int cpu = 0; cpu < processors_at_most && other < 0; cpu++) {
    if (!CPU_ISSET(cpu, &all)) continue;
    if (first < 0)
      first = cpu;
    else if (node_of(cpu) == node_of(first))
      other = cpu;
  }
  if (other < 0 || threads > processors_at_most) return 77;
  bind_to(other);
  if (bound) {
    const double end = expect_seconds() + 0.3;
    while (expect_seconds() < end)
      if (look()) expect_true("workers stay bound", workers_bound());
    return expect_result();
  }
  wait_until(parted);
  bind_to(first);
  wait_until(parted);
  bind_to(other);
  wait_until(parted);
  bind_to(first);
  wait_until(workers_stay_bound);
  return expect_result();
}
