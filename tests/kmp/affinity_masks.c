/* kmp_set_affinity binds the calling OpenMP thread, and it alone: each member of a team to a
 * processor of its own, and back to all that the process has. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>

#include "expect.h"

int kmp_set_thread_affinity_mask_initial(void);

enum { processors_at_most = 1024 };
static int processors[processors_at_most];
static int count;

static void find_processors(void) {
  kmp_affinity_mask_t mask;
  kmp_create_affinity_mask(&mask);
  kmp_get_affinity(&mask);
  for (int cpu = 0; cpu < kmp_get_affinity_max_proc() && count < processors_at_most; cpu++)
    if (kmp_get_affinity_mask_proc(cpu, &mask) == 1) processors[count++] = cpu;
  kmp_destroy_affinity_mask(&mask);
}

static void bind_to(int cpu) {
  kmp_affinity_mask_t mask;
  kmp_create_affinity_mask(&mask);
  expect_equal("kmp_set_affinity_mask_proc", kmp_set_affinity_mask_proc(cpu, &mask), 0);
  expect_equal("kmp_set_affinity", kmp_set_affinity(&mask), 0);
  kmp_destroy_affinity_mask(&mask);
}

/* How many processors the kernel lets the caller use; the one, if it is one. */
static int allowed(int* only) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &set)) *only = cpu;
  return CPU_COUNT(&set);
}

int main(void) {
  int only = -1;
  kmp_affinity_mask_t empty;
  find_processors();
  expect_between("processors", count, 1, processors_at_most);
  kmp_create_affinity_mask(&empty);
  expect_true("an empty mask is refused", kmp_set_affinity(&empty) != 0);
  kmp_destroy_affinity_mask(&empty);
#pragma omp parallel num_threads(4) private(only)
  {
    const int mine = processors[omp_get_thread_num() % count];
    bind_to(mine);
#pragma omp barrier
    expect_equal("processors of a bound thread", allowed(&only), 1);
    expect_equal("its processor", only, mine);
#pragma omp barrier
    expect_equal("kmp_set_thread_affinity_mask_initial", kmp_set_thread_affinity_mask_initial(), 0);
    expect_equal("processors of a thread that is not bound any more", allowed(&only), count);
  }
  return expect_result();
}
