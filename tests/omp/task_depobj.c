/* depobj: dependences kept in omp_depend_t, updated and destroyed, used by tasks and mixed with
 * plain depend clauses; inoutset; and omp_all_memory-like fan-in by many addresses. */
#include <omp.h>

#include "expect.h"

static void chain_by_object(void) {
  int value = 0;
  omp_depend_t object;
#pragma omp depobj(object) depend(inout : value)
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp task depend(depobj : object) firstprivate(i)
    {
      expect_equal("chain by depobj", value, i);
      value++;
    }
  }
#pragma omp depobj(object) destroy
  expect_equal("end of the chain", value, 200);
}

static void mixed_with_plain(void) {
  int value = 0;
  omp_depend_t writer, reader;
#pragma omp depobj(writer) depend(out : value)
#pragma omp depobj(reader) depend(in : value)
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 1; i <= 100; i++) {
#pragma omp task depend(depobj : writer) firstprivate(i)
    value = i;
#pragma omp task depend(in : value) firstprivate(i)
    expect_equal("plain reader", value, i);
#pragma omp task depend(depobj : reader) firstprivate(i)
    expect_equal("depobj reader", value, i);
  }
#pragma omp depobj(writer) destroy
#pragma omp depobj(reader) destroy
}

static void updated(void) {
  int value = 0;
  omp_depend_t object;
#pragma omp depobj(object) depend(in : value)
#pragma omp depobj(object) update(inout)
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task depend(depobj : object) firstprivate(i)
    {
      expect_equal("chain by an updated depobj", value, i);
      value++;
    }
  }
#pragma omp depobj(object) destroy
}

static void fan_in(void) {
  int part[64] = {0};
  int checked = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    for (int i = 0; i < 64; i++) {
#pragma omp task depend(out : part[i]) firstprivate(i)
      part[i] = i;
    }
#pragma omp task depend(iterator(i = 0 : 64), in : part[i])
    {
      for (int i = 0; i < 64; i++) expect_equal("fan-in part", part[i], i);
      checked = 1;
    }
  }
  expect_equal("fan-in ran", checked, 1);
}

int main(void) {
  for (int turn = 0; turn < 10; turn++) {
    chain_by_object();
    mixed_with_plain();
    updated();
    fan_in();
  }
  return expect_result();
}
