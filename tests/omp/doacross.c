/* Doacross loops, ordered(n) with depend(source) and depend(sink): chains in one dimension with
 * distances 1 and 3, and wavefronts in two, in int and in wider types, under several schedules. */
#include <omp.h>
#include <string.h>

#include "expect.h"

enum { turns = 60, side = 12 };

static void chain_by_1(int members) {
  long value[turns];
#pragma omp parallel for num_threads(members) ordered(1) schedule(static, 1)
  for (int i = 0; i < turns; i++) {
#pragma omp ordered depend(sink : i - 1)
    value[i] = i == 0 ? 1 : value[i - 1] + i;
#pragma omp ordered depend(source)
  }
  for (int i = 0; i < turns; i++) expect_equal("chain by 1", value[i], 1 + (long)i * (i + 1) / 2);
}

static void chain_by_3(int members) {
  long value[turns];
#pragma omp parallel for num_threads(members) ordered(1) schedule(dynamic)
  for (int i = 0; i < turns; i++) {
#pragma omp ordered depend(sink : i - 3)
    value[i] = i < 3 ? i : value[i - 3] + 3;
#pragma omp ordered depend(source)
  }
  for (int i = 0; i < turns; i++) expect_equal("chain by 3", value[i], i);
}

static void backward(int members) {
  long value[turns + 1];
  value[turns] = 0;
#pragma omp parallel for num_threads(members) ordered(1) schedule(guided)
  for (int i = turns - 1; i >= 0; i--) {
#pragma omp ordered depend(sink : i + 1)
    value[i] = value[i + 1] + 1;
#pragma omp ordered depend(source)
  }
  expect_equal("chain backward", value[0], turns);
}

static void wavefront(int members) {
  long value[side + 1][side + 1];
  memset(value, 0, sizeof value);
  value[0][1] = 1;
#pragma omp parallel for num_threads(members) ordered(2) collapse(1) schedule(static, 1)
  for (int i = 1; i <= side; i++) {
    for (int j = 1; j <= side; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      value[i][j] = (value[i - 1][j] + value[i][j - 1]) % 1000007;
#pragma omp ordered depend(source)
    }
  }
  long expected[side + 1][side + 1];
  memset(expected, 0, sizeof expected);
  expected[0][1] = 1;
  for (int i = 1; i <= side; i++) {
    for (int j = 1; j <= side; j++) {
      expected[i][j] = (expected[i - 1][j] + expected[i][j - 1]) % 1000007;
      expect_equal("wavefront", value[i][j], expected[i][j]);
    }
  }
}

static void collapsed_wavefront(int members) {
  int done[side][side];
  memset(done, 0, sizeof done);
#pragma omp parallel for num_threads(members) ordered(2) collapse(2) schedule(dynamic, 2)
  for (int i = 0; i < side; i++) {
    for (int j = 0; j < side; j++) {
#pragma omp ordered depend(sink : i - 1, j + 1) depend(sink : i - 1, j)
      if (i > 0) expect_equal("above is done", load(&done[i - 1][j]), 1);
      if (i > 0 && j + 1 < side) expect_equal("above right is done", load(&done[i - 1][j + 1]), 1);
      store(&done[i][j], 1);
#pragma omp ordered depend(source)
    }
  }
}

static void wide_chain(int members) {
  unsigned long long from = (1ULL << 63) - 30;
  long value[60];
#pragma omp parallel for num_threads(members) ordered(1) schedule(dynamic)
  for (unsigned long long i = from; i < from + 60; i++) {
#pragma omp ordered depend(sink : i - 1)
    value[i - from] = i == from ? 0 : value[i - from - 1] + 2;
#pragma omp ordered depend(source)
  }
  expect_equal("chain across 2^63", value[59], 118);
}

int main(void) {
  for (int members = 1; members <= 16; members *= 2) {
    chain_by_1(members);
    chain_by_3(members);
    backward(members);
    wavefront(members);
    collapsed_wavefront(members);
    wide_chain(members);
  }
  return expect_result();
}
