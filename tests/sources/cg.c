/* Conjugate gradients on a sparse symmetric matrix whose elements lie near the diagonal and, some
   of them, far from it: rows dealt out in blocks, the vector read from everywhere. As jacobi.c it
   tells nothing. Arguments: rows, iterations. Prints the residual and the milliseconds of an
   iteration. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { per_row = 15 };
static int n;
static int* columns;
static double *values, *x, *r, *p, *q;

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void make(void) {
  columns = malloc(sizeof *columns * n * per_row);
  values = malloc(sizeof *values * n * per_row);
  x = calloc(n, sizeof *x);
  r = malloc(sizeof *r * n);
  p = malloc(sizeof *p * n);
  q = malloc(sizeof *q * n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < per_row; k++) {
      const int reach = k < per_row - 2 ? k - per_row / 2 : (k == per_row - 1 ? n / 3 : -(n / 3));
      columns[i * per_row + k] = ((i + reach) % n + n) % n;
      values[i * per_row + k] = columns[i * per_row + k] == i ? 40 : -1;
    }
    r[i] = p[i] = 1 + i % 3;
  }
}

static double dot(const double* a, const double* b) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void multiply(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < per_row; k++) sum += values[i * per_row + k] * p[columns[i * per_row + k]];
    q[i] = sum;
  }
}

static void step(double alpha) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
  }
}

static void turn(double beta) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
}

int main(int argc, char** argv) {
  n = argc > 1 ? atoi(argv[1]) : 60000;
  const int iterations = argc > 2 ? atoi(argv[2]) : 100;
  make();
  double rho = dot(r, r);
  const double first = rho, begun = now_ms();
  for (int it = 0; it < iterations; it++) {
    multiply();
    step(rho / dot(p, q));
    const double before = rho;
    rho = dot(r, r);
    if (rho < first * 1e-20) { /* begin anew, so that iterations stay alike */
      for (int i = 0; i < n; i++) r[i] = p[i] = 1 + i % 3;
      rho = dot(r, r);
      continue;
    }
    turn(rho / before);
  }
  fprintf(stderr, "iteration_ms %.4f\n", (now_ms() - begun) / iterations);
  printf("x %.6e\n", x[0] + x[n / 2]);
  return 0;
}
