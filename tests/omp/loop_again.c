/* A loop that comes again after a barrier is given out whole each time, in order, whatever stands
 * between the two: nothing, another loop, one without a barrier, one without iterations, sections,
 * a single construct. */
#include <omp.h>

#include "expect.h"

enum { rounds = 40, most = 96, most_members = 12 };

static int times[most];       /* each iteration of the loop that comes again was run */
static int members, size, ok; /* of the case */

struct order {
  int last;
};

static void ran(struct order* mine, int i) {
  add_one(&times[i]);
  if (i <= mine->last) store(&ok, 0);
  mine->last = i;
}

static void start(struct order* mine) { mine->last = -1; }

/* Between two barriers of the team. */
static void look(int wanted) {
#pragma omp barrier
#pragma omp master
  for (int i = 0; i < size; i++)
    if (load(&times[i]) != wanted) store(&ok, 0);
#pragma omp barrier
}

static void begin(int its_members, int its_size) {
  members = its_members;
  size = its_size;
  ok = 1;
  for (int i = 0; i < most; i++) times[i] = 0;
}

static void one_loop_again_and_again(void) {
#pragma omp parallel num_threads(members)
  for (int round = 1; round <= rounds; round++) {
    struct order mine;
    start(&mine);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < size; i++) ran(&mine, i);
    if (round % 7 == 0) look(round);
  }
}

static void guided_and_by_runtime(void) {
#pragma omp parallel num_threads(members)
  for (int round = 1; round <= rounds; round++) {
    struct order mine;
    start(&mine);
#pragma omp for schedule(guided, 2)
    for (int i = 0; i < size; i++) ran(&mine, i);
    start(&mine);
#pragma omp for schedule(runtime)
    for (int i = 0; i < size; i++) ran(&mine, i);
    start(&mine);
#pragma omp for schedule(runtime)
    for (int i = 0; i < size; i++) ran(&mine, i);
    if (round % 5 == 0) look(3 * round);
  }
}

/* The same loop with and without a barrier at its end. */
static void with_and_without_a_barrier(void) {
#pragma omp parallel num_threads(members)
  for (int round = 1; round <= rounds; round++) {
    struct order mine;
    start(&mine);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < size; i++) ran(&mine, i);
    start(&mine);
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < size; i++) ran(&mine, i);
    start(&mine);
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < size; i++) ran(&mine, i);
    if (round % 3 == 0) look(3 * round);
  }
}

/* Ordered loops, of which a team of one may use one record over and over. */
static void ordered_ones(void) {
  int next = 0;
#pragma omp parallel num_threads(members)
  for (int round = 1; round <= rounds; round++) {
    struct order mine;
    start(&mine);
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < size; i++) {
      ran(&mine, i);
#pragma omp ordered
      if (next++ % size != i) store(&ok, 0);
    }
    start(&mine);
#pragma omp for ordered schedule(static, 1) nowait
    for (int i = 0; i < size; i++) {
#pragma omp ordered
      ran(&mine, i);
    }
    if (round % 5 == 0) look(2 * round);
  }
  expect_equal("ordered", next, rounds * size);
}

static void others_between(void) {
  int singles = 0, sections = 0, other = 0;
#pragma omp parallel num_threads(members)
  for (int round = 1; round <= rounds; round++) {
    struct order mine;
    start(&mine);
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < size; i++) ran(&mine, i);
#pragma omp single
    singles++;
    start(&mine);
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < size; i++) ran(&mine, i);
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < round % 3; i++) add_one(&other);
    start(&mine);
#pragma omp for schedule(dynamic, 3)
    for (int i = size - 1; i >= 0; i--) ran(&mine, size - 1 - i);
#pragma omp sections
    {
#pragma omp section
      add_one(&sections);
#pragma omp section
      add_one(&sections);
    }
#pragma omp sections
    {
#pragma omp section
      add_one(&sections);
#pragma omp section
      add_one(&sections);
    }
    if (round % 4 == 0) look(3 * round);
  }
  expect_equal("single", singles, rounds);
  expect_equal("sections", sections, 4 * rounds);
  int wanted = 0;
  for (int round = 1; round <= rounds; round++) wanted += round % 3;
  expect_equal("the other loop", other, wanted);
}

/* An iteration waits for all later ones: nobody holds chunks that it has not begun. */
static void one_is_held_up(void) {
  int others = 0;
#pragma omp parallel num_threads(members)
  for (int round = 1; round <= rounds / 4; round++) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < size; i++) {
      if (i > 0) add_one(&others);
      while (i == 0 && load(&others) < round * (size - 1)) {
#pragma omp taskyield
      }
    }
  }
  expect_equal("those that it waits for", others, rounds / 4 * (size - 1));
}

static void all_cases(int its_members, int its_size) {
  void (*const cases[])(void) = {one_loop_again_and_again, guided_and_by_runtime,
                                 with_and_without_a_barrier, ordered_ones, others_between};
  for (int i = 0; i < 5; i++) {
    begin(its_members, its_size);
    cases[i]();
    expect_equal("given out whole and in order", ok, 1);
  }
  begin(its_members, its_size);
  if (members > 1) one_is_held_up();
}

int main(void) {
  omp_set_dynamic(0);
  for (int kind = 0; kind < 2; kind++) {
    omp_set_schedule(kind == 0 ? omp_sched_dynamic : omp_sched_static, 2);
    for (int n = 1; n <= most_members; n = 2 * n + n / 2) {
      all_cases(n, 1);
      if (n > 1) all_cases(n, 5);
      all_cases(n, most);
    }
  }
  return expect_result();
}
