/* collapse: rectangular and triangular nests, mixed directions and types, empty inner loops,
 * lastprivate over the nest, under several schedules. */
#include <omp.h>
#include <string.h>

#include "expect.h"

static void rectangle(int rows, int columns) {
  int ran[12][9];
  memset(ran, 0, sizeof ran);
  int last = -1;
#pragma omp parallel for collapse(2) schedule(dynamic, 3) lastprivate(last)
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      add_one(&ran[i][j]);
      last = i * 100 + j;
    }
  }
  for (int i = 0; i < 12; i++) {
    for (int j = 0; j < 9; j++) expect_equal("rectangle", ran[i][j], i < rows && j < columns);
  }
  if (rows * columns > 0) expect_equal("lastprivate", last, (rows - 1) * 100 + columns - 1);
}

static void box(void) {
  int ran[4][5][6];
  memset(ran, 0, sizeof ran);
#pragma omp parallel num_threads(7)
  {
#pragma omp for collapse(3) schedule(guided)
    for (long i = 3; i >= 0; i--) {
      for (unsigned j = 0; j < 5; j++) {
        for (short k = 0; k < 6; k++) add_one(&ran[i][j][k]);
      }
    }
#pragma omp for collapse(3) schedule(static) nowait
    for (int i = 0; i < 4; i++) {
      for (int j = 4; j >= 0; j -= 2) {
        for (int k = 0; k <= 5; k++) add_one(&ran[i][j][k]);
      }
    }
  }
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 5; j++) {
      for (int k = 0; k < 6; k++) expect_equal("box", ran[i][j][k], j % 2 == 0 ? 2 : 1);
    }
  }
}

static void triangle(int size) {
  int ran[20][20];
  memset(ran, 0, sizeof ran);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < size; i++) {
    for (int j = 0; j <= i; j++) add_one(&ran[i][j]);
  }
  for (int i = 0; i < 20; i++) {
    for (int j = 0; j < 20; j++) expect_equal("triangle", ran[i][j], i < size && j <= i);
  }
}

static void wide_nest(void) {
  long long count = 0;
  long long total = 0;
#pragma omp parallel for collapse(2) schedule(runtime) reduction(+ : count, total)
  for (long long i = 0; i < (1LL << 40); i += 1LL << 36) {
    for (unsigned long long j = 1ULL << 63; j < (1ULL << 63) + 10; j++) {
      count++;
      total += (i >> 36) * 100 + (long long)(j - (1ULL << 63));
    }
  }
  expect_equal("turns of the wide nest", count, 160);
  expect_equal("sum of the wide nest", total, 100LL * 120 * 10 + 45 * 16);
}

int main(void) {
  rectangle(12, 9);
  rectangle(1, 9);
  rectangle(12, 1);
  if (expect_empty_lastprivate) {
    rectangle(0, 9);
    rectangle(12, 0);
  }
  for (int turn = 0; turn < 50; turn++) rectangle(7, 5);
  box();
  for (int size = 0; size <= 20; size += 4) triangle(size);
  wide_nest();
  return expect_result();
}
