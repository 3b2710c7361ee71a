/* How taskloop divides: the number of tasks and of iterations in each, for grainsize and num_tasks,
 * strict and not; and with each division collapse, nogroup, lastprivate, negative and large steps,
 * and unsigned long long up to the end of the type, against serial loops. */
#include <limits.h>
#include <omp.h>
#include <string.h>

#include "expect.h"

enum { most = 120 };

/* By task, in the order of its first iteration. `place` counts within a task: it is firstprivate.
 */
static int size_of_task[most];
static int ran[most];

static void visit(int i, int place) {
  add_one(&ran[i]);
  if (place > 0) add_one(&size_of_task[i - place]); /* iterations of a task follow each other */
  if (place == 0) add_one(&size_of_task[i]);
}

/* Puts the sizes behind each other and returns how many tasks there were. */
static int tasks_of(int n) {
  int tasks = 0;
  for (int i = 0; i < n; i++) {
    expect_equal("times an iteration ran", ran[i], 1);
    const int size = size_of_task[i];
    size_of_task[i] = 0;
    if (size > 0) size_of_task[tasks++] = size;
  }
  return tasks;
}

static void forget(void) {
  memset(ran, 0, sizeof ran);
  memset(size_of_task, 0, sizeof size_of_task);
}

/* Clang 19 parses `strict` and does not pass it on. */
#ifdef __clang__
enum { has_strict = 0 };
#else
enum { has_strict = 1 };
#endif

static void by_grainsize(int n, int grain, int strict) {
  int place = 0, last = -1;
  forget();
  if (strict) {
#pragma omp taskloop grainsize(strict : grain) firstprivate(place) lastprivate(last)
    for (int i = 0; i < n; i++) {
      visit(i, place++);
      last = i;
    }
  } else {
#pragma omp taskloop grainsize(grain) firstprivate(place) lastprivate(last)
    for (int i = 0; i < n; i++) {
      visit(i, place++);
      last = i;
    }
  }
  expect_equal("lastprivate by grainsize", last, n - 1);
  const int tasks = tasks_of(n);
  for (int t = 0; t < tasks; t++) {
    if (strict) {
      expect_equal("strict grain", size_of_task[t],
                   t < tasks - 1 || n % grain == 0 ? grain : n % grain);
    } else {
      expect_between("grain", size_of_task[t], grain < n ? grain : n, 2 * grain - 1);
    }
  }
}

static void by_num_tasks(int n, int wanted, int strict) {
  int place = 0, last = -1;
  forget();
  if (strict) {
#pragma omp taskloop num_tasks(strict : wanted) firstprivate(place) lastprivate(last)
    for (int i = 0; i < n; i++) {
      visit(i, place++);
      last = i;
    }
  } else {
#pragma omp taskloop num_tasks(wanted) firstprivate(place) lastprivate(last)
    for (int i = 0; i < n; i++) {
      visit(i, place++);
      last = i;
    }
  }
  expect_equal("lastprivate by num_tasks", last, n - 1);
  const int tasks = tasks_of(n);
  expect_equal("number of tasks", tasks, wanted < n ? wanted : n);
  for (int t = 0; t < tasks; t++) {
    expect_equal("even sizes", size_of_task[t], n / tasks + (t < n % tasks));
  }
}

static void descending(int members, int step) {
  long long sum = 0, expected = 0;
  int last = 0, expected_last = 0;
  for (int i = 1000; i > -1000; i -= step) {
    expected += i * (long long)i;
    expected_last = i;
  }
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskloop reduction(+ : sum) lastprivate(last) grainsize(11)
  for (int i = 1000; i > -1000; i -= step) {
    sum += i * (long long)i;
    last = i;
  }
  expect_equal("descending sum", sum, expected);
  expect_equal("descending lastprivate", last, expected_last);
}

static void collapsed(int members) {
  int seen[6][5][4];
  int i_last = -1, j_last = -1;
  memset(seen, 0, sizeof seen);
#pragma omp parallel num_threads(members)
  {
#pragma omp single
    {
#pragma omp taskloop collapse(3) grainsize(strict : 7) nogroup
      for (int i = 0; i < 6; i++) {
        for (int j = 4; j >= 0; j--) {
          for (unsigned k = 0; k < 8; k += 2) add_one(&seen[i][j][k / 2]);
        }
      }
#pragma omp taskloop collapse(2) num_tasks(strict : 4) lastprivate(i_last, j_last)
      for (int i = 0; i < 6; i++) {
        for (int j = 10; j > 0; j -= 3) {
          i_last = i;
          j_last = j;
        }
      }
      expect_equal("outer lastprivate", i_last, 5);
      expect_equal("inner lastprivate", j_last, 1);
    }
  }
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 5; j++) {
      for (int k = 0; k < 4; k++) expect_equal("collapsed iteration", seen[i][j][k], 1);
    }
  }
}

static void triangle(int members) {
  int count = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskloop collapse(2) reduction(+ : count) num_tasks(5)
  for (int i = 0; i < 20; i++) {
    for (int j = i; j < 20; j++) count++;
  }
  expect_equal("triangle", count, 210);
}

static void at_the_end_of_the_type(int members, unsigned long long step) {
  const unsigned long long from = ULLONG_MAX - 40;
  unsigned long long sum = 0, down = 0, expected = 0, expected_down = 0;
  for (unsigned long long i = from; i < ULLONG_MAX - step; i += step) expected += i - from;
  for (unsigned long long i = ULLONG_MAX; i > from + step; i -= step)
    expected_down += ULLONG_MAX - i;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp taskloop reduction(+ : sum) grainsize(strict : 3)
    for (unsigned long long i = from; i < ULLONG_MAX - step; i += step) sum += i - from;
#pragma omp taskloop reduction(+ : down) num_tasks(strict : 5)
    for (unsigned long long i = ULLONG_MAX; i > from + step; i -= step) down += ULLONG_MAX - i;
  }
  expect_equal("up to the end of the type", (long long)sum, (long long)expected);
  expect_equal("down from the end of the type", (long long)down, (long long)expected_down);
}

static void divisions(int members) {
  static const int sizes[] = {1, 2, 16, 17, 31, most};
  static const int amounts[] = {1, 2, 3, 7, 16, 200};
#pragma omp parallel num_threads(members)
#pragma omp single
  for (int s = 0; s < 6; s++) {
    for (int a = 0; a < 6; a++) {
      for (int strict = 0; strict <= has_strict; strict++) {
        by_grainsize(sizes[s], amounts[a], strict);
        by_num_tasks(sizes[s], amounts[a], strict);
      }
    }
  }
}

int main(void) {
  for (int members = 1; members <= 16; members += 5) {
    divisions(members);
    descending(members, 1);
    descending(members, 7);
    collapsed(members);
    triangle(members);
    at_the_end_of_the_type(members, 1);
    at_the_end_of_the_type(members, 6);
  }
  return expect_result();
}
