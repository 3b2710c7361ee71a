/* The depend clause: chains (out, in, inout), readers between writers, a grid of wavefront tasks,
 * mutexinoutset, iterators, array sections, many addresses, dependences among nested tasks' own
 * siblings only, and taskwait with depend. */
#include <omp.h>
#include <string.h>

#include "expect.h"

static void chain(int length) {
  int value = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < length; i++) {
#pragma omp task depend(inout : value) firstprivate(i)
    {
      expect_equal("place in the chain", value, i);
      value = i + 1;
    }
  }
  expect_equal("end of the chain", value, length);
}

static void readers_and_writers(void) {
  int value = 0;
  int readers = 0;
#pragma omp parallel num_threads(8)
#pragma omp single
  for (int turn = 1; turn <= 100; turn++) {
#pragma omp task depend(out : value) firstprivate(turn)
    {
      expect_equal("readers done before the next writer", load(&readers), 5 * (turn - 1));
      value = turn;
    }
    for (int r = 0; r < 5; r++) {
#pragma omp task depend(in : value) firstprivate(turn)
      {
        expect_equal("what a reader sees", value, turn);
        add_one(&readers);
      }
    }
  }
  expect_equal("readers in all", readers, 500);
}

enum { side = 20 };

static void grid(int members) {
  int cell[side + 1][side + 1];
  memset(cell, 0, sizeof cell);
  for (int i = 0; i <= side; i++) cell[0][i] = cell[i][0] = 1;
#pragma omp parallel num_threads(members)
#pragma omp single
  for (int i = 1; i <= side; i++) {
    for (int j = 1; j <= side; j++) {
#pragma omp task depend(in : cell[i - 1][j], cell[i][j - 1]) depend(out : cell[i][j])
      cell[i][j] = (cell[i - 1][j] + cell[i][j - 1]) % 10007;
    }
  }
  int expected[side + 1][side + 1];
  for (int i = 0; i <= side; i++) expected[0][i] = expected[i][0] = 1;
  for (int i = 1; i <= side; i++) {
    for (int j = 1; j <= side; j++) {
      expected[i][j] = (expected[i - 1][j] + expected[i][j - 1]) % 10007;
      expect_equal("grid", cell[i][j], expected[i][j]);
    }
  }
}

static void mutually_exclusive(void) {
  int value = 0;
  int inside = 0;
#pragma omp parallel num_threads(8)
#pragma omp single
  {
#pragma omp task depend(out : value)
    value = 100;
    for (int i = 0; i < 50; i++) {
#pragma omp task depend(mutexinoutset : value)
      {
        expect_equal("mutexinoutset tasks inside", add_one(&inside), 1);
        value++;
        store(&inside, 0);
      }
    }
#pragma omp task depend(in : value)
    expect_equal("after the set", value, 150);
  }
}

static void iterators(void) {
  int part[16] = {0};
  int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int turn = 0; turn < 20; turn++) {
    for (int i = 0; i < 16; i++) {
#pragma omp task depend(inout : part[i])
      part[i]++;
    }
#pragma omp task depend(iterator(i = 0 : 16), in : part[i]) depend(inout : sum)
    for (int i = 0; i < 16; i++) sum += part[i];
  }
  expect_equal("sum over iterator dependences", sum, 16 * 20 * 21 / 2);
}

/* Who waits for the quick task may run the slow one meanwhile, on top of itself: then nobody would
 * release it. */
static void taskwait_depend(void) {
  int quick = 0, slow = 0, release = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    const int maker = omp_get_thread_num();
#pragma omp task depend(out : slow)
    {
      while (!load(&release) && omp_get_thread_num() != maker) {
#pragma omp taskyield
      }
      slow = 1;
    }
#pragma omp task depend(out : quick)
    quick = 1;
#pragma omp taskwait depend(in : quick)
    expect_equal("the awaited task", quick, 1);
    store(&release, 1);
#pragma omp taskwait
    expect_equal("the other task", slow, 1);
  }
}

static void undeferred_waits(void) {
  int value = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(out : value) firstprivate(i)
    value = i;
#pragma omp task depend(in : value) if (0)
    expect_equal("an undeferred task waits for its dependence", value, i);
  }
}

static void nested_siblings(void) {
  int done = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task
    {
      int mine = 0;
      for (int k = 0; k < 10; k++) {
#pragma omp task depend(inout : mine) shared(mine) firstprivate(k)
        {
          expect_equal("inner chain", mine, k);
          mine++;
        }
      }
#pragma omp taskwait
      expect_equal("inner chain's end", mine, 10);
      add_one(&done);
    }
  }
  expect_equal("outer tasks", done, 20);
}

int main(void) {
  chain(2000);
  readers_and_writers();
  for (int members = 1; members <= 16; members += 5) grid(members);
  mutually_exclusive();
  iterators();
  taskwait_depend();
  undeferred_waits();
  nested_siblings();
  return expect_result();
}
