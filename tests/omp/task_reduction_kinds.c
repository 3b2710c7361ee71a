/* Task reductions against serial computation: reductions of the user's with an initializer, array
 * sections through pointers, taskgroups within taskgroups that reduce the same and other variables,
 * the task modifier on parallel, for and sections at once, taskloop with reduction and with
 * in_reduction, undeferred and final tasks, and members that contribute nothing. */
#include <omp.h>
#include <string.h>

#include "expect.h"

enum { items = 200, cells = 33 };

/* Order does not matter, the identity does: it is not zero. */
typedef struct Range {
  long least, most, count;
} Range;

static void widen(Range* to, const Range* by) {
  if (by->least < to->least) to->least = by->least;
  if (by->most > to->most) to->most = by->most;
  to->count += by->count;
}

#pragma omp declare reduction(range:Range                 \
                              : widen(&omp_out, &omp_in)) \
    initializer(omp_priv = (Range){1000000, -1000000, 0})

static long value_at(int i) { return (i * 7919) % 1009 - 500; }

static void add_to(Range* range, int i) {
  const long value = value_at(i);
  const Range one = {value, value, 1};
  widen(range, &one);
}

static void check_range(const char* what, Range seen, int turns) {
  Range expected = {1000000, -1000000, 0};
  for (int turn = 0; turn < turns; turn++) {
    for (int i = 0; i < items; i++) add_to(&expected, i);
  }
  expect_equal(what, seen.least, expected.least);
  expect_equal(what, seen.most, expected.most);
  expect_equal(what, seen.count, expected.count);
}

static void of_the_users(int members) {
  Range range = {1000000, -1000000, 0};
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp taskgroup task_reduction(range : range)
    for (int i = 0; i < items; i++) {
#pragma omp task in_reduction(range : range) if (i % 3) final(i % 5 == 0)
      add_to(&range, i);
    }
  }
  check_range("reduction of the user's on taskgroup", range, 1);

#pragma omp parallel num_threads(members) reduction(task, range : range)
  {
#pragma omp for
    for (int i = 0; i < items; i++) {
#pragma omp task in_reduction(range : range)
      add_to(&range, i);
    }
  }
  check_range("reduction of the user's on parallel", range, 2);

#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskloop reduction(range : range) num_tasks(13)
  for (int i = 0; i < items; i++) add_to(&range, i);
  check_range("reduction of the user's on taskloop", range, 3);
}

static void sections_of_arrays(int members) {
  long block[cells + 4];
  long* pointer = block;
  int length = cells;
  for (int i = 0; i < cells + 4; i++) block[i] = -i;
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : pointer [2:length])
  for (int i = 0; i < items; i++) {
#pragma omp task in_reduction(+ : pointer [2:length]) firstprivate(i)
    {
      pointer[2 + i % cells] += i;
      pointer[2 + (i + 5) % cells] += 1;
    }
  }
  long expected[cells + 4];
  for (int i = 0; i < cells + 4; i++) expected[i] = -i;
  for (int i = 0; i < items; i++) {
    expected[2 + i % cells] += i;
    expected[2 + (i + 5) % cells] += 1;
  }
  for (int i = 0; i < cells + 4; i++) expect_equal("array section", block[i], expected[i]);
}

/* The inner group reduces into the outer one's copy, and a variable of its own. */
static void groups_in_groups(int members) {
  long outer = 5, both = 1, inner_in_all = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : outer, both)
  for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : outer, both) shared(inner_in_all) firstprivate(i)
    {
      long inner = 0;
      outer += i;
#pragma omp taskgroup task_reduction(+ : inner, both)
      for (int j = 0; j < 10; j++) {
#pragma omp task in_reduction(+ : inner, both, outer) firstprivate(j)
        {
          inner += j;
          both += 1;
          outer += 100;
        }
      }
      expect_equal("an inner group's sum", inner, 45);
      __atomic_add_fetch(&inner_in_all, inner, __ATOMIC_SEQ_CST);
    }
  }
  expect_equal("outer group", outer, 5 + 190 + 20 * 10 * 100);
  expect_equal("both groups", both, 1 + 200);
  expect_equal("inner groups", inner_in_all, 20 * 45);
}

static void modifiers_within_each_other(int members) {
  long region = 0, loop = 0, section = 0;
#pragma omp parallel num_threads(members) reduction(task, + : region) shared(loop, section)
  {
#pragma omp for reduction(task, + : loop) schedule(dynamic, 3)
    for (int i = 0; i < items; i++) {
#pragma omp task in_reduction(+ : loop, region)
      {
        loop += i;
        region += 1;
      }
    }
#pragma omp sections reduction(task, + : section)
    {
#pragma omp section
      for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : section, region)
        {
          section += i;
          region += 1000;
        }
      }
#pragma omp section
      section += 7;
    }
  }
  expect_equal("task reduction of a region", region, items + 10 * 1000);
  expect_equal("of a loop in it", loop, (long)items * (items - 1) / 2);
  expect_equal("of sections in it", section, 45 + 7);
}

static void taskloops(int members) {
  long sum = 3, product = 0;
  double halves = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp taskloop reduction(+ : sum, halves) grainsize(7)
    for (int i = 0; i < items; i++) {
      sum += i;
      halves += 0.5;
    }
#pragma omp taskgroup task_reduction(+ : product)
    {
#pragma omp taskloop in_reduction(+ : product) nogroup
      for (int i = 0; i < items; i++) product += 2;
#pragma omp task in_reduction(+ : product)
      product += 1;
    }
#pragma omp taskloop reduction(+ : sum)
    for (int i = 5; i < 5; i++) sum += 1000000; /* no iterations */
  }
  expect_equal("taskloop reduction", sum, 3 + (long)items * (items - 1) / 2);
  expect_near("two at once", halves, items / 2.0, 1e-12);
  expect_equal("taskloop in_reduction", product, 2L * items + 1);
}

int main(void) {
  for (int turn = 0; turn < 3; turn++) {
    for (int members = 1; members <= 16; members += 5) {
      of_the_users(members);
      sections_of_arrays(members);
      groups_in_groups(members);
      modifiers_within_each_other(members);
      taskloops(members);
    }
  }
  return expect_result();
}
