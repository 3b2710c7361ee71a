/* threadprivate: copies are each thread's own, copyin fills them, they persist from one region to
 * the next of the same size, the initial thread keeps its own, and nested teams do not disturb
 * them. Members interleave through barriers. */
#include <omp.h>

#include "expect.h"

static int counter = 7;
#pragma omp threadprivate(counter)
static double table[32];
#pragma omp threadprivate(table)
int extern_counter;
#pragma omp threadprivate(extern_counter)

static void initial_values(int members) {
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() > 0) expect_equal("initial value", counter, 7);
    counter = 100 + omp_get_thread_num();
#pragma omp barrier
    expect_equal("own copy after a barrier", counter, 100 + omp_get_thread_num());
  }
}

static void persistence(int members) {
  for (int turn = 0; turn < 20; turn++) {
#pragma omp parallel num_threads(members)
    {
      expect_equal("value kept between regions", counter, 100 + omp_get_thread_num() + turn);
#pragma omp barrier
      counter++;
#pragma omp barrier
      expect_equal("own increment", counter, 101 + omp_get_thread_num() + turn);
    }
  }
}

static void copied_in(int members) {
  for (int turn = 0; turn < 20; turn++) {
    counter = 1000 + turn;
    for (int i = 0; i < 32; i++) table[i] = turn + i;
    extern_counter = -turn;
#pragma omp parallel num_threads(members) copyin(counter, table, extern_counter)
    {
      expect_equal("copyin scalar", counter, 1000 + turn);
      expect_equal("copyin extern", extern_counter, -turn);
      for (int i = 0; i < 32; i++) expect_near("copyin array", table[i], turn + i, 0);
#pragma omp barrier
      counter += omp_get_thread_num();
      table[5] = omp_get_thread_num();
#pragma omp barrier
      expect_equal("scalar after", counter, 1000 + turn + omp_get_thread_num());
      expect_near("array after", table[5], omp_get_thread_num(), 0);
    }
    expect_equal("the initial thread's copy", counter, 1000 + turn);
  }
}

static void interleaved(int members) {
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    extern_counter = me;
    for (int turn = 0; turn < 50; turn++) {
      extern_counter += members;
#pragma omp barrier
      expect_equal("interleaved copies", extern_counter, me + members * (turn + 1));
    }
  }
}

static void copyprivate_of_it(int members) {
#pragma omp parallel num_threads(members)
  {
    counter = omp_get_thread_num();
#pragma omp single copyprivate(counter)
    counter = 4242;
    expect_equal("copyprivate of a threadprivate", counter, 4242);
  }
}

static void nested(void) {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(4)
  {
    counter = omp_get_thread_num();
    for (int turn = 0; turn < 5; turn++) {
#pragma omp parallel num_threads(4)
      {
        if (omp_get_thread_num() == 0) {
          expect_equal("the master's copy in its inner team", counter,
                       omp_get_ancestor_thread_num(1));
        } else {
          counter = 50 + 10 * omp_get_ancestor_thread_num(1) + omp_get_thread_num();
        }
#pragma omp barrier
        if (omp_get_thread_num() > 0) {
          expect_equal("an inner member's copy", counter,
                       50 + 10 * omp_get_ancestor_thread_num(1) + omp_get_thread_num());
        }
      }
      expect_equal("the outer copy after the inner team", counter, omp_get_thread_num());
    }
  }
}

int main(void) {
  initial_values(16);
  persistence(16);
  copied_in(4);
  copied_in(16);
  interleaved(4);
  interleaved(16);
  copyprivate_of_it(16);
  nested();
  return expect_result();
}
