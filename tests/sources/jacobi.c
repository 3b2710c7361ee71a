/* A stencil of five points on a square of N x N, rows dealt out in blocks, as programs are that
   tell nothing: arrays by malloc, first written by one thread. Arguments: N, iterations. Prints a
   checksum and the milliseconds of an iteration. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void sweep(const double* from, double* to, int n) {
#pragma omp parallel for schedule(static)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      const double* at = from + (long)i * n + j;
      to[(long)i * n + j] = 0.25 * (at[-1] + at[1] + at[-n] + at[n]);
    }
}

static double add_up(const double* a, int n) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += a[(long)i * n + j] > 0.5 ? 1 : 0;
  return sum;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 600, iterations = argc > 2 ? atoi(argv[2]) : 100;
  double* a = malloc(sizeof *a * n * n);
  double* b = malloc(sizeof *b * n * n);
  for (long i = 0; i < (long)n * n; i++) a[i] = b[i] = i % n == 0 ? 1 : 0;
  double sum = 0;
  const double begun = now_ms();
  for (int it = 0; it < iterations; it++) {
    sweep(a, b, n);
    sweep(b, a, n);
    sum += add_up(a, n);
  }
  fprintf(stderr, "iteration_ms %.4f\n", (now_ms() - begun) / iterations);
  printf("sum %.0f\n", sum);
  free(a);
  free(b);
  return 0;
}
