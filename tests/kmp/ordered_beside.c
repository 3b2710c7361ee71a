/* What follows an ordered region in its iteration runs beside the regions of later iterations: the
 * last iteration of a chunk waits, behind its own region, for the next chunk's first. Regions run
 * in the order of the iterations all the same, also where some iterations have none. */
#include <omp.h>
#include <sched.h>

#include "expect.h"

enum { count = 60, threads = 4 };

static int entered[count + 1];
static int last; /* iteration that ran its region; written in regions alone */
static int in_order;

static void begin(void) {
  for (int i = 0; i <= count; ++i) entered[i] = i == count; /* nobody comes behind the last */
  last = -1;
  in_order = 1;
}

static void region(int i) {
  in_order &= i > last;
  last = i;
  __atomic_store_n(&entered[i], 1, __ATOMIC_RELEASE);
}

static void await(int i) {
  while (!__atomic_load_n(&entered[i], __ATOMIC_ACQUIRE)) sched_yield();
}

static void expect_order(const char* what) { expect_equal(what, in_order && last == count - 1, 1); }

static void single_iterations(void) {
  begin();
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
  for (int i = 0; i < count; ++i) {
#pragma omp ordered
    region(i);
    await(i + 1);
  }
  expect_order("schedule(static, 1)");
  begin();
#pragma omp parallel for ordered schedule(dynamic) num_threads(threads)
  for (int i = 0; i < count; ++i) {
#pragma omp ordered
    region(i);
    await(i + 1);
  }
  expect_order("schedule(dynamic)");
}

static void chunks(void) {
  begin();
#pragma omp parallel for ordered schedule(static, 5) num_threads(threads)
  for (int i = 0; i < count; ++i) {
#pragma omp ordered
    region(i);
    if (i % 5 == 4) await(i + 1);
  }
  expect_order("schedule(static, 5)");
}

/* Chunks end with an iteration that has a region, or not. */
static void some_without(void) {
  begin();
#pragma omp parallel for ordered schedule(dynamic, 3) num_threads(threads)
  for (int i = 0; i < count; ++i) {
    if (i % 4 == 3) {
#pragma omp ordered
      region(i);
    }
  }
  expect_order("iterations without a region");
}

int main(void) {
  for (int round = 0; round < 5; ++round) {
    single_iterations();
    chunks();
    some_without();
  }
  return expect_result();
}
