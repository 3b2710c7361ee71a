/* steady TURNS STOP: computes the same known things turn after turn, in flat and nested regions,
 * loops, tasks and barriers, and writes the number of turns so far into the file TURNS, until the
 * file STOP is there. Exit code 0 when every result of every turn was right. Scripts change the
 * machine meanwhile. */
#include <omp.h>
#include <unistd.h>

#include "expect.h"
#include "turns.h"

enum { elements = 20000, inner = 4 };

static double values[elements];

static void loops(int turn) {
  double sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < elements; i++) values[i] = i + turn;
#pragma omp for schedule(dynamic, 64) reduction(+ : sum)
    for (int i = 0; i < elements; i++) sum += values[i];
  }
  expect_equal("a sum over all elements", (long long)sum,
               (long long)elements * (elements - 1) / 2 + (long long)elements * turn);
}

static void nested(void) {
  int members = 0, outer = 0;
#pragma omp parallel num_threads(4)
  {
    add_one(&outer);
#pragma omp parallel num_threads(inner)
    {
      add_one(&members);
#pragma omp barrier
      expect_true("the whole inner team has come", load(&members) >= inner);
    }
  }
  expect_equal("members of nested teams", members, outer * inner);
}

static int fibonacci(int n) {
  int left, right;
  if (n < 2) return n;
#pragma omp task shared(left) firstprivate(n)
  left = fibonacci(n - 1);
  right = fibonacci(n - 2);
#pragma omp taskwait
  return left + right;
}

static void tasks(void) {
  int result = 0;
#pragma omp parallel
#pragma omp single
  result = fibonacci(12);
  expect_equal("fibonacci(12) by tasks", result, 144);
}

int main(int count, char** words) {
  if (count != 3) return 2;
  omp_set_max_active_levels(2);
  for (int turn = 1; access(words[2], F_OK) != 0 && expect_failures == 0; turn++) {
    loops(turn);
    nested();
    tasks();
    tell(words[1], turn);
  }
  return expect_result();
}
