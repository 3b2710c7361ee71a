/* A stencil on a square, as programs that run beside each other: bench/together times copies of it.
 *
 *   stencil barriers|regions SIDE STEPS
 *
 * barriers: one region, and a barrier after each step; regions: a region for each step. It prints the
 * sum of the square and the seconds that the steps took. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int side;
static double *from, *to;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void step_row(const double *in, double *out, int row) {
  const double *at = in + (size_t)row * side;
  for (int column = 1; column + 1 < side; column++)
    out[(size_t)row * side + column] =
        0.25 * (at[column - 1] + at[column + 1] + at[column - side] + at[column + side]);
}

static void with_barriers(int steps) {
#pragma omp parallel
  {
    double *in = from, *out = to;
    for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static)
      for (int row = 1; row < side - 1; row++) step_row(in, out, row);
      double *last = in;
      in = out;
      out = last;
    }
  }
}

static void with_regions(int steps) {
  double *in = from, *out = to;
  for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static)
    for (int row = 1; row < side - 1; row++) step_row(in, out, row);
    double *last = in;
    in = out;
    out = last;
  }
}

int main(int argc, char **argv) {
  if (argc != 4 || (side = atoi(argv[2])) < 3) {
    fprintf(stderr, "usage: stencil barriers|regions SIDE STEPS\n");
    return 2;
  }
  const int steps = atoi(argv[3]);
  from = malloc(sizeof *from * (size_t)side * (size_t)side);
  to = malloc(sizeof *to * (size_t)side * (size_t)side);
  if (!from || !to) return 1;
  for (int i = 0; i < side * side; i++) from[i] = to[i] = i % 17;
  const double begin = now();
  if (strcmp(argv[1], "regions") == 0)
    with_regions(steps);
  else
    with_barriers(steps);
  const double seconds = now() - begin;
  double sum = 0;
  for (int i = 0; i < side * side; i++) sum += from[i] + to[i];
  printf("%.17g %.6f\n", sum, seconds);
  return 0;
}
