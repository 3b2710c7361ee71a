/* taskloop: each iteration once for grainsize, num_tasks, strict, nogroup, collapse, unsigned and
 * wide bounds, negative steps, firstprivate and lastprivate, if(0) and final, and reductions. */
#include <limits.h>
#include <omp.h>
#include <string.h>

#include "expect.h"

enum { most_turns = 300 };

static int ran[most_turns];

static void check_and_clear(const char* what, int turns) {
  for (int i = 0; i < most_turns; i++) expect_equal(what, ran[i], i < turns);
  memset(ran, 0, sizeof ran);
}

static void grains(int members, int turns, int grain) {
  int last = -1;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp taskloop grainsize(grain) lastprivate(last)
    for (int i = 0; i < turns; i++) {
      add_one(&ran[i]);
      last = i;
    }
    if (turns > 0) expect_equal("lastprivate of taskloop", last, turns - 1);
    check_and_clear("grainsize", turns);
#pragma omp taskloop num_tasks(grain)
    for (int i = turns - 1; i >= 0; i--) add_one(&ran[i]);
    check_and_clear("num_tasks", turns);
#pragma omp taskloop grainsize(strict : grain)
    for (long long i = 0; i < turns; i++) add_one(&ran[i]);
    check_and_clear("strict grainsize", turns);
#pragma omp taskloop num_tasks(strict : grain)
    for (unsigned long long i = 0; i < (unsigned long long)turns; i++) add_one(&ran[i]);
    check_and_clear("strict num_tasks", turns);
  }
}

static void plain_from_every_member(int members) {
  int count = 0;
#pragma omp parallel num_threads(members)
#pragma omp taskloop
  for (int i = 0; i < 40; i++) add_one(&count);
  expect_equal("a taskloop in each member", count, 40 * members);
}

static void nogroup(int members) {
#pragma omp parallel num_threads(members)
  {
#pragma omp single
    {
#pragma omp taskloop nogroup
      for (int i = 0; i < 100; i++) add_one(&ran[i]);
#pragma omp taskloop nogroup collapse(2) grainsize(3)
      for (int i = 100; i < 200; i += 10) {
        for (int j = 0; j < 10; j++) add_one(&ran[i + j]);
      }
    }
#pragma omp single
    check_and_clear("nogroup", 200);
  }
}

static void wide_bounds(int members) {
  unsigned long long sum = 0;
  long long count = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp taskloop reduction(+ : sum) grainsize(3)
    for (unsigned long long i = ULLONG_MAX - 20; i < ULLONG_MAX; i++) sum += i - (ULLONG_MAX - 20);
#pragma omp taskloop reduction(+ : count) num_tasks(5)
    for (long long i = LLONG_MIN + 33; i > LLONG_MIN; i -= 3) count++;
  }
  expect_equal("sum near ULLONG_MAX", (long long)sum, 190);
  expect_equal("turns near LLONG_MIN", count, 11);
}

static void reductions(int members) {
  long sum = 0;
  long other = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : other)
  {
#pragma omp taskloop reduction(+ : sum) in_reduction(+ : other)
    for (int i = 0; i < 1000; i++) {
      sum += i;
      other += 2;
    }
    expect_equal("taskloop reduction", sum, 499500);
  }
  expect_equal("in_reduction", other, 2000);
}

static void combined(int members) {
  long sum = 0;
#pragma omp parallel master taskloop num_threads(members) reduction(+ : sum)
  for (int i = 0; i < 500; i++) sum += i;
  expect_equal("parallel master taskloop", sum, 124750);
}

/* Tasks beyond what is queued at once. */
enum { many = 5000 };
static int of_many[many];

static void check_many(const char* what) {
  for (int i = 0; i < many; i++) expect_equal(what, of_many[i], 1);
  memset(of_many, 0, sizeof of_many);
}

static void leave_many_behind(int from) {
  int offsets[3] = {from, 0, 0};
#pragma omp taskloop grainsize(1) nogroup firstprivate(offsets)
  for (int i = 0; i < many / 2; i++) {
    offsets[1] = i;
    add_one(&of_many[offsets[0] + offsets[1] + offsets[2]]);
  }
}

static void many_tasks(int members) {
  long sum = 0;
  int last = -1;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp taskgroup
    {
      leave_many_behind(0);
      leave_many_behind(many / 2);
    }
    check_many("nogroup, of a function that has returned");
#pragma omp taskloop grainsize(1) reduction(+ : sum) lastprivate(last)
    for (int i = many - 1; i >= 0; i--) {
      sum += i;
      last = i;
#pragma omp task firstprivate(i)
      add_one(&of_many[i]);
    }
    check_many("tasks of a taskloop's tasks");
#pragma omp taskloop num_tasks(many)
    for (int i = 0; i < many; i++) add_one(&of_many[i]);
    check_many("num_tasks");
  }
  expect_equal("reduction of many", sum, (long)many * (many - 1) / 2);
  expect_equal("lastprivate of many", last, 0);
}

/* However long one takes, others take of what is left. */
static void many_for_all(void) {
  int came[2] = {0, 0};
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < many; i++) {
    store(&came[omp_get_thread_num()], 1);
    while (!load(&came[0]) || !load(&came[1])) {
    }
    add_one(&of_many[i]);
  }
  check_many("both threads");
}

static void undeferred_and_final(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    int me = omp_get_thread_num();
#pragma omp taskloop if (0) num_tasks(8)
    for (int i = 0; i < 80; i++) expect_equal("who runs", omp_get_thread_num(), me);
#pragma omp taskloop final(1) num_tasks(8)
    for (int i = 0; i < 80; i++) expect_equal("in final", omp_in_final(), 1);
  }
}

int main(void) {
  static const int turns[] = {0, 1, 2, 17, 300};
  static const int grain[] = {1, 2, 7, 1000};
  for (int members = 1; members <= 8; members *= 2) many_tasks(members);
  many_for_all();
  for (int members = 1; members <= 16; members += 5) {
    for (int t = 0; t < 5; t++) {
      for (int g = 0; g < 4; g++) grains(members, turns[t], grain[g]);
    }
    plain_from_every_member(members);
    nogroup(members);
    wide_bounds(members);
    reductions(members);
    combined(members);
  }
  undeferred_and_final();
  return expect_result();
}
