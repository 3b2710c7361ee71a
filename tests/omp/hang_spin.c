/* A team of 16 whose members spin on each other's flags without ever yielding: each waits for the
 * one before it, or the one after it, also behind a barrier, and in turns. It must finish. */
#include <omp.h>

#include "expect.h"

enum { members = 16 };

static int flag[members + 1];

static void clear(void) {
  for (int i = 0; i <= members; i++) __atomic_store_n(&flag[i], 0, __ATOMIC_RELAXED);
}

static void wait_for(int at, int value) {
  while (!became(&flag[at], value)) {
  }
}

static void raise_flag(int at, int value) { __atomic_store_n(&flag[at], value, __ATOMIC_RELEASE); }

static void forward(int with_barrier) {
  int sum = 0;
  clear();
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    if (with_barrier) {
#pragma omp barrier
    }
    if (me > 0) wait_for(me - 1, 1);
    sum += me;
    raise_flag(me, 1);
  }
  expect_equal("sum along the chain", sum, members * (members - 1) / 2);
}

static void backward(int with_barrier) {
  int sum = 0;
  clear();
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    if (with_barrier) {
#pragma omp barrier
    }
    if (me < members - 1) wait_for(me + 1, 1);
    sum += me;
    raise_flag(me, 1);
  }
  expect_equal("sum along the chain backward", sum, members * (members - 1) / 2);
}

static void everyone_meets(void) {
  static int arrived;
  store(&arrived, 0);
#pragma omp parallel num_threads(members)
  {
    add_one(&arrived);
    while (!reached(&arrived, members)) {
    }
  }
  expect_equal("members that met by spinning", arrived, members);
}

static void nested_chain(void) {
  omp_set_max_active_levels(3);
  clear();
#pragma omp parallel num_threads(4)
  {
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(4)
    {
      int me = 4 * outer + omp_get_thread_num();
      if (me < members - 1) wait_for(me + 1, 1);
      raise_flag(me, 1);
    }
  }
  expect_equal("the nested chain's end", flag[0], 1);
}

int main(void) {
  forward(0);
  backward(0);
  forward(1);
  backward(1);
  everyone_meets();
  nested_chain();
  return expect_result();
}
