/* Tasks of a mutexinoutset have no order: one that waits for something else does not keep those
 * made after it waiting. GCC 12's libgomp orders them like inout, and would wait for ever here. */
#include <omp.h>
#include <unistd.h>

#include "expect.h"

static void out_of_order(int members) {
  int set = 0, gate = 0, other = 0; /* addresses */
  int inside = 0, ran = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp task depend(out : gate) shared(gate, ran)
    while (load(&ran) < 5) usleep(50);
#pragma omp task depend(in : gate) depend(mutexinoutset : set) shared(ran)
    expect_equal("tasks of the set before the one that waits", add_one(&ran), 6);
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(mutexinoutset : set, other) shared(ran, inside)
      {
        expect_equal("others of the set", add_one(&inside), 1);
        add_one(&ran);
        __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
      }
    }
  }
  expect_equal("tasks of the set", ran, 6);
  expect_equal("what only the clauses name", set + gate + other, 0);
}

int main(void) {
  for (int turn = 0; turn < 20; turn++) {
    for (int members = 2; members <= 8; members *= 2) out_of_order(members);
  }
  return expect_result();
}
