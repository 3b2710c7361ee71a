/* Atomics that the processor has no instruction for, on long double, which take the runtime's own
 * lock: update, capture, read and write; complex reductions; and native sizes for comparison. */
#include <complex.h>
#include <omp.h>

#include "expect.h"

static void long_double_updates(int members, int turns) {
  long double sum = 0;
  long double product = 1;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < turns; i++) {
#pragma omp atomic
    sum += 1.0L;
#pragma omp atomic
    product *= -1.0L;
  }
  expect_near("long double sum", (double)sum, (double)members * turns, 0);
  expect_near("long double product", (double)product, (members * turns) % 2 ? -1 : 1, 0);
}

static void long_double_capture(int members, int turns) {
  long double ticket = 0;
  char taken[4096] = {0};
#pragma omp parallel num_threads(members)
  for (int i = 0; i < turns; i++) {
    long double mine;
#pragma omp atomic capture
    mine = ticket++;
    taken[(int)mine]++;
  }
  for (int i = 0; i < members * turns; i++) expect_equal("times a ticket was taken", taken[i], 1);
}

static void long_double_read_write(void) {
  long double value = 1;
  int stop = 0;
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() == 0) {
    for (int i = 0; i < 3000; i++) {
#pragma omp atomic write
      value = i % 2 ? 1.0L : 1e4000L;
    }
    store(&stop, 1);
  } else {
    while (!load(&stop)) {
      long double seen;
#pragma omp atomic read
      seen = value;
      expect_true("a read sees a whole value", seen == 1.0L || seen == 1e4000L);
    }
  }
}

static void complex_sums(int members, int turns) {
  double _Complex sum = 0;
#pragma omp parallel for num_threads(members) reduction(+ : sum)
  for (int i = 0; i < turns; i++) sum += 1.0 + 2.0 * I;
  expect_near("complex reduction, real", creal(sum), turns, 0);
  expect_near("complex reduction, imaginary", cimag(sum), 2.0 * turns, 0);
}

static void native_sizes(int members, int turns) {
  char c = 0;
  short s = 0;
  long long l = 0;
  float f = 0;
  double d = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < turns; i++) {
#pragma omp atomic
    c++;
#pragma omp atomic
    s += 2;
#pragma omp atomic
    l += 1LL << 33;
#pragma omp atomic
    f += 1;
#pragma omp atomic
    d = d + 0.5;
  }
  expect_equal("char", c, (char)(members * turns));
  expect_equal("short", s, (short)(2 * members * turns));
  expect_equal("long long", l, (1LL << 33) * members * turns);
  expect_near("float", f, (double)members * turns, 0);
  expect_near("double", d, 0.5 * members * turns, 0);
}

int main(void) {
  long_double_updates(4, 3000);
  long_double_updates(16, 300);
  long_double_capture(4, 1000);
  long_double_capture(16, 200);
  long_double_read_write();
  complex_sums(7, 1000);
  native_sizes(8, 1000);
  return expect_result();
}
