/* Dependence kinds beside chains of inout: mutexinoutset (never two at once, after writers, before
 * readers; alone, with others, undeferred, detached), one address under two kinds, depobj of every
 * kind with update and destroy, iterators over objects, taskwait with depend, if(0) with depend,
 * and dependences to and from target tasks. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

enum { rounds = 20, tasks = 24 };

/* One at a time: plain, so that a thread sanitizer sees it too. */
typedef struct Sum {
  int inside, total;
} Sum;

static void enter_alone(Sum* sum) {
  expect_equal("others in the set's turn", add_one(&sum->inside), 1);
  sum->total++;
  __atomic_sub_fetch(&sum->inside, 1, __ATOMIC_SEQ_CST);
}

static void mutex_set(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int round = 0; round < rounds; round++) {
    Sum sum = {0, -1};
#pragma omp task depend(out : sum) shared(sum)
    sum.total = 0;
    for (int i = 0; i < tasks; i++) {
#pragma omp task depend(mutexinoutset : sum) shared(sum)
      enter_alone(&sum);
    }
#pragma omp task depend(in : sum) shared(sum)
    expect_equal("a reader after the set", sum.total, tasks);
#pragma omp task depend(in : sum) shared(sum)
    expect_equal("another reader", sum.total, tasks);
    for (int i = 0; i < tasks; i++) {
#pragma omp task depend(mutexinoutset : sum) shared(sum)
      enter_alone(&sum);
    }
#pragma omp task depend(mutexinoutset : sum) shared(sum) if (0)
    enter_alone(&sum);
#pragma omp taskwait depend(in : sum)
    expect_equal("after taskwait for two sets", sum.total, 2 * tasks + 1);
  }
}

/* Each task needs two of five addresses. */
static void overlapping_sets(void) {
#pragma omp parallel num_threads(8)
#pragma omp single
  for (int round = 0; round < rounds; round++) {
    Sum fork[5];
    memset(fork, 0, sizeof fork);
    for (int i = 0; i < 10 * 5; i++) {
      Sum* left = &fork[i % 5];
      Sum* right = &fork[(i + 1) % 5];
#pragma omp task depend(mutexinoutset : *left, *right) firstprivate(left, right)
      {
        enter_alone(left);
        enter_alone(right);
      }
      if (i % 17 == 16) {
#pragma omp task depend(in : fork[0]) depend(out : fork[2]) shared(fork)
        expect_equal("no one beside a writer", fork[0].inside + fork[2].inside, 0);
      }
    }
#pragma omp taskwait
    for (int i = 0; i < 5; i++) expect_equal("turns of an address", fork[i].total, 20);
  }
}

/* A set's task that is detached keeps the others out until its event comes. */
static void detached_in_a_set(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int round = 0; round < rounds; round++) {
    Sum sum = {0, 0};
    int begun = 0, fulfilled = 0;
    omp_event_handle_t event;
#pragma omp task depend(mutexinoutset : sum) detach(event) shared(sum, begun)
    {
      expect_equal("others before a detached one", add_one(&sum.inside), 1);
      store(&begun, 1);
    }
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(mutexinoutset : sum) shared(sum)
      enter_alone(&sum);
    }
#pragma omp task shared(sum, begun, fulfilled) firstprivate(event)
    {
      while (!load(&begun)) usleep(20);
      usleep(50);
      store(&fulfilled, 1);
      __atomic_sub_fetch(&sum.inside, 1, __ATOMIC_SEQ_CST);
      omp_fulfill_event(event);
    }
    /* The others may come first, but never between the body and the event. */
#pragma omp taskwait
    expect_equal("fulfilled", load(&fulfilled), 1);
    expect_equal("turns beside a detached task", sum.total, 4);
  }
}

static void two_kinds_of_one_address(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int round = 0; round < rounds; round++) {
    int value = 0;
    int readers = 0;
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(in : value) shared(readers)
      add_one(&readers);
    }
#pragma omp task depend(in : value) depend(inout : value) shared(value, readers)
    {
      expect_equal("readers before in with inout", load(&readers), 3);
      value = 1;
    }
#pragma omp task depend(in : value) shared(value)
    expect_equal("a reader behind", value, 1);
#pragma omp task depend(in : value) depend(mutexinoutset : value) shared(value)
    value = 2;
#pragma omp task depend(inout : value) depend(in : value) shared(value)
    value *= 10;
#pragma omp taskwait
    expect_equal("value in the end", value, 20);
  }
}

/* Objects of every kind, and of one updated to every kind. */
static void objects(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int round = 0; round < rounds; round++) {
    Sum sum = {0, 0};
    omp_depend_t objects[3]; /* GCC 12 takes no elements of arrays in the clause */
    omp_depend_t *first = objects, *second = objects + 1, *third = objects + 2;
#pragma omp depobj(*first) depend(in : sum)
#pragma omp depobj(*second) depend(mutexinoutset : sum)
#pragma omp depobj(*third) depend(inout : sum)
    for (int i = 0; i < tasks; i++) {
#pragma omp task depend(depobj : *second) shared(sum)
      enter_alone(&sum);
    }
#pragma omp task depend(depobj : *first) shared(sum)
    expect_equal("a reader by object", sum.total, tasks);
#pragma omp depobj(*first) update(mutexinoutset)
#pragma omp depobj(*second) update(out)
    for (int i = 0; i < tasks; i++) {
#pragma omp task depend(depobj : *first) shared(sum)
      enter_alone(&sum);
    }
#pragma omp task depend(depobj : *second) shared(sum)
    sum.total += 100;
#pragma omp task depend(iterator(k = 2 : 3), depobj : *(first + k)) shared(sum)
    sum.total *= 2;
#pragma omp task depend(depobj : *third) shared(sum) if (0)
    expect_equal("undeferred, by object", sum.total, 2 * (2 * tasks + 100));
#pragma omp taskwait depend(depobj : *third)
#pragma omp depobj(*first) destroy
#pragma omp depobj(*second) destroy
#pragma omp depobj(*third) destroy
  }
}

static void undeferred_and_target(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int round = 0; round < rounds; round++) {
    int a = 0, b = 0;
#pragma omp task depend(out : a) shared(a)
    {
      usleep(20);
      a = 1;
    }
#pragma omp task depend(in : a) depend(out : b) shared(a, b) if (0)
    b = a + 1;
    expect_equal("undeferred after its dependence", b, 2);
#pragma omp task depend(inout : b) shared(b)
    {
      usleep(20);
      b = 3;
    }
#pragma omp target nowait depend(inout : b) map(tofrom : b)
    b *= 2;
#pragma omp task depend(inout : b) shared(b)
    b++;
#pragma omp target depend(in : b) map(to : b) map(from : a)
    a = b;
    expect_equal("through two target tasks", a, 7);
#pragma omp task depend(out : a) shared(a)
    {
      usleep(20);
      a = 8;
    }
#pragma omp taskwait depend(in : a)
    expect_equal("after taskwait depend", a, 8);
#pragma omp taskwait
  }
}

int main(void) {
  mutex_set();
  overlapping_sets();
  detached_in_a_set();
  two_kinds_of_one_address();
  objects();
  undeferred_and_target();
  return expect_result();
}
