/* Members wait for one of them in loops of their own, in which they open regions, make tasks, or
 * take a lock: they come by the runtime often, and the one that they wait for must come to run all
 * the same. Each kind of loop, with the first and the last member as the one that the others wait
 * for; and with four program threads, whose teams all wait for a member of one of them. */
#include <omp.h>
#include <pthread.h>

#include "expect.h"

enum { members = 8, roots = 4, members_of_root = 4 };

static int arrived;
static int done;
static omp_lock_t lock;

static void open_region(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  expect_between("threads of a region inside", threads, 1, 2);
}

static void open_chain(void) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) open_region();
}

static void open_loop(void) {
  int steps = 0;
#pragma omp parallel for schedule(dynamic) num_threads(3) reduction(+ : steps)
  for (int i = 0; i < 4; i++) steps++;
  expect_equal("steps of a loop inside", steps, 4);
}

static void make_task(void) {
  int ran = 0;
#pragma omp task shared(ran)
  ran = 1;
#pragma omp taskwait
  expect_equal("task", ran, 1);
}

static void make_group(void) {
  int ran = 0;
#pragma omp taskgroup
  for (int i = 0; i < 3; i++) {
#pragma omp task shared(ran)
    add_one(&ran);
  }
  expect_equal("tasks of a group", ran, 3);
}

static void make_region_with_tasks(void) {
  open_region();
  make_task();
}

static void take_critical(void) {
#pragma omp critical
  arrived += 0;
}

static void take_lock(void) {
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
}

static void try_lock(void) {
  if (omp_test_lock(&lock)) omp_unset_lock(&lock);
}

static void give_way(void) {
#pragma omp taskyield
}

static void (*const kinds[])(void) = {
    open_region,   open_chain, open_loop, make_task, make_group, make_region_with_tasks,
    take_critical, take_lock,  try_lock,  give_way};
enum { kind_count = sizeof kinds / sizeof *kinds };

/* The one that is waited for gives way first, so that it has to come to a processor again. */
static void wait_for(int awaited, void (*kind)(void)) {
  store(&done, 0);
  store(&arrived, 0);
#pragma omp parallel num_threads(members)
  {
    add_one(&arrived);
    if (omp_get_thread_num() == awaited) {
      while (load(&arrived) < members) kind();
#pragma omp taskyield
      kind();
#pragma omp taskyield
      store(&done, 1);
    } else {
      while (!load(&done)) kind();
    }
  }
}

struct Root {
  void (*kind)(void);
  int number;
};

static void* be_root(void* raw) {
  const struct Root* root = raw;
#pragma omp parallel num_threads(members_of_root)
  {
    add_one(&arrived);
    if (root->number == 0 && omp_get_thread_num() == members_of_root - 1) {
      while (load(&arrived) < roots * members_of_root) root->kind();
      store(&done, 1);
    } else {
      while (!load(&done)) root->kind();
    }
  }
  return NULL;
}

static void wait_across_roots(void (*kind)(void)) {
  pthread_t threads[roots];
  struct Root root[roots];
  store(&done, 0);
  store(&arrived, 0);
  for (int i = 0; i < roots; i++) {
    root[i] = (struct Root){kind, i};
    if (pthread_create(&threads[i], NULL, be_root, &root[i]) != 0) exit(2);
  }
  for (int i = 0; i < roots; i++) pthread_join(threads[i], NULL);
}

int main(void) {
  omp_set_max_active_levels(4);
  omp_init_lock(&lock);
  for (int kind = 0; kind < kind_count; kind++) {
    for (int awaited = 0; awaited < members; awaited += members - 1) wait_for(awaited, kinds[kind]);
    wait_across_roots(kinds[kind]);
  }
  omp_destroy_lock(&lock);
  return expect_result();
}
