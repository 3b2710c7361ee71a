/* 100,000 OpenMP threads alive at once in one nested tree of teams of four. Every leaf of the tree
 * is a thread of its own; it counts itself and blocks, so that each counted thread has started, has
 * its stack and cannot end before the count is full. Then all go on and the tree folds up.
 *
 * The leaves block on an OpenMP lock that a keeper holds until the count is full (argument "lock");
 * or one leaf of each innermost team does and the others wait for it in their team's barrier
 * ("barrier"); or they spin with taskyield ("yield"). The keeper is the initial thread: member 0 of
 * an outermost team of two, whose other member grows the tree. A second argument sets the count. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "scale.h"

enum { threads_of_a_team = 4, most_depth = 12 };

typedef enum Way { by_lock, by_barrier, by_yield } Way;

static Way way;
static int wanted = 100000;
static int alive;      /* Leaves that have started and not ended. */
static int most_alive; /* The most that were alive at one moment. */
static int passed;     /* Leaves that went on past the gate. */
static omp_lock_t gate;

static void pass_gate(void) {
  omp_set_lock(&gate);
  omp_unset_lock(&gate);
}

static void count_in(void) {
  int now = add_one(&alive);
  int most = load(&most_alive);
  while (now > most && !__atomic_compare_exchange_n(&most_alive, &most, now, 0, __ATOMIC_SEQ_CST,
                                                    __ATOMIC_SEQ_CST)) {
  }
}

static void count_and_block(void) {
  count_in();
  if (way == by_yield) {
    while (!reached(&most_alive, wanted)) {
#pragma omp taskyield
    }
  } else if (load(&most_alive) < wanted && (way == by_lock || omp_get_thread_num() == 0)) {
    pass_gate();
  }
  if (way == by_barrier) {
#pragma omp barrier
  }
  add_one(&passed);
  __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
}

static void grow(int levels) {
#pragma omp parallel num_threads(threads_of_a_team)
  {
    expect_equal("size of an inner team", omp_get_num_threads(), threads_of_a_team);
    if (levels > 1) {
      grow(levels - 1);
    } else {
      count_and_block();
    }
  }
}

/* Waits for the count and opens the gate. */
static void keep_gate(void) {
  while (load(&most_alive) < wanted) usleep(1000);
  omp_unset_lock(&gate);
}

static void read_arguments(int count, char** arguments) {
  const char* name = count > 1 ? arguments[1] : "lock";
  way = strcmp(name, "yield") == 0 ? by_yield : strcmp(name, "barrier") == 0 ? by_barrier : by_lock;
  if (count > 2) wanted = atoi(arguments[2]);
}

int main(int count, char** arguments) {
  read_arguments(count, arguments);
  int depth = 1;
  while (1 << (2 * depth) < wanted + wanted / 8) depth++;
  omp_set_max_active_levels(most_depth);
  omp_init_lock(&gate);
  omp_set_lock(&gate);
  double from = expect_seconds();
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    keep_gate();
  } else {
    grow(depth);
  }
  printf("%d threads alive at once\n", most_alive);
  printf("tree of %d leaves in %.2f s\n", 1 << (2 * depth), expect_seconds() - from);
  expect_equal("leaves that went on", passed, 1 << (2 * depth));
  expect_equal("leaves left", alive, 0);
  expect_between("threads alive at once", most_alive, wanted, 1 << (2 * depth));
  check_peak_memory();
  return expect_result();
}
