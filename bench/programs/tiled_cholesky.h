/* Owns Cholesky's factorisation on tiles, as it is timed: what is done to tiles, and the order in
 * which tasks are submitted. tiled_cholesky.c submits them as Xylem's codelets,
 * tiled_cholesky_starpu.c as StarPU's; each defines submit_task() and wait_for_tasks(), and prints
 * one line: seconds of the best of three runs. Tasks run on processors, and on OpenCL devices where
 * the runtime is told to use them. The arguments: tiles in a row, elements in a row of a tile, and
 * perhaps "priorities", which gives tasks some. The result is checked against the matrix that it
 * was made from. hybrid.c takes the tiles and the graph from here, too. docs/codelets.md quotes
 * all. */
#ifndef BENCH_TILED_CHOLESKY_H
#define BENCH_TILED_CHOLESKY_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int size; /* of a tile's row */
static int tiles;

/* --- on tiles of doubles, by rows --------------------------------------------------------------
 */

static inline double dot(const double* one, const double* other, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += one[i] * other[i];
  return sum;
}

static inline void factor_tile(double* a) {
  for (int j = 0; j < size; ++j) {
    double* row = a + j * size;
    row[j] = sqrt(row[j] - dot(row, row, j));
    for (int i = j + 1; i < size; ++i)
      a[i * size + j] = (a[i * size + j] - dot(a + i * size, row, j)) / row[j];
  }
}

static inline void solve_tile(const double* l, double* a) {
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      a[i * size + j] = (a[i * size + j] - dot(a + i * size, l + j * size, j)) / l[j * size + j];
}

static inline void update_tile(const double* a, const double* b, double* c) {
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) c[i * size + j] -= dot(a + i * size, b + j * size, size);
}

/* The same on devices, in OpenCL C, or CUDA C++ by the words before it: a tile with its extents for
 * each. factor() has one work-item, solve() one for each row, the others one for each element. */
static inline const char* tile_kernels(void) {
  return "#ifdef __OPENCL_VERSION__\n"
         "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
         "#define __device__\n"
         "#else\n"
         "typedef unsigned long ulong;\n"
         "#define __kernel extern \"C\" __global__\n"
         "#define __global\n"
         "__device__ inline size_t get_global_id(int d) {\n"
         "  return d == 0 ? (size_t)blockIdx.x * blockDim.x + threadIdx.x\n"
         "                : (size_t)blockIdx.y * blockDim.y + threadIdx.y;\n"
         "}\n"
         "#endif\n"
         "#define TILE(name) __global double* name, ulong name##x, ulong name##y\n"
         "__device__ double product(__global const double* one, __global const double* other, "
         "ulong count) {\n"
         "  double sum = 0;\n"
         "  for (ulong i = 0; i < count; ++i) sum += one[i] * other[i];\n"
         "  return sum;\n"
         "}\n"
         "__kernel void factor(TILE(a)) {\n"
         "  for (ulong j = 0; j < ax; ++j) {\n"
         "    __global double* row = a + j * ax;\n"
         "    row[j] = sqrt(row[j] - product(row, row, j));\n"
         "    for (ulong i = j + 1; i < ax; ++i)\n"
         "      a[i * ax + j] = (a[i * ax + j] - product(a + i * ax, row, j)) / row[j];\n"
         "  }\n"
         "}\n"
         "__kernel void solve(TILE(l), TILE(a)) {\n"
         "  if (get_global_id(0) >= ay) return;\n"
         "  __global double* row = a + get_global_id(0) * ax;\n"
         "  for (ulong j = 0; j < ax; ++j)\n"
         "    row[j] = (row[j] - product(row, l + j * ax, j)) / l[j * ax + j];\n"
         "}\n"
         "__kernel void square(TILE(a), TILE(c)) {\n"
         "  size_t j = get_global_id(0), i = get_global_id(1);\n"
         "  if (j >= cx || i >= cy) return;\n"
         "  c[i * cx + j] -= product(a + i * ax, a + j * ax, ax);\n"
         "}\n"
         "__kernel void update(TILE(a), TILE(b), TILE(c)) {\n"
         "  size_t j = get_global_id(0), i = get_global_id(1);\n"
         "  if (j >= cx || i >= cy) return;\n"
         "  c[i * cx + j] -= product(a + i * ax, b + j * ax, ax);\n"
         "}\n";
}
static const char* const kernel_names[] = {"factor", "solve", "square", "update"};
static const int kernel_tiles[] = {1, 2, 2, 3}; /* the last one is written */
/* Work-items in both dimensions, of the kernel of that number. */
static inline void kernel_range(int number, size_t range[2]) {
  range[0] = number == 0 ? 1 : (size_t)size;
  range[1] = number < 2 ? 1 : (size_t)size;
}

/* --- the graph ---------------------------------------------------------------------------------
 */

typedef enum { factor, solve, square, update } step;

/* On the tiles of these numbers: factor a; solve a, b; square a, c; update a, b, c. */
static void submit_task(step what, int a, int b, int c);
static void wait_for_tasks(void);

static inline int tile(int row, int column) { return row * tiles + column; }

/* How near a task is to the longest chain, by the rule of StarPU's examples; 0 if the program was
 * not told to say. */
static int with_priorities;
static inline int priority_of(step what, int a, int b, int c) {
  if (!with_priorities) return 0;
  const int column = a % tiles; /* of what the task reads */
  if (what == factor) return 2 * (tiles - column);
  if (what == solve) return 2 * (tiles - column) - b / tiles;
  return 2 * (tiles - column) - c / tiles - c % tiles;
}

static void submit_all(void) {
  for (int k = 0; k < tiles; ++k) {
    submit_task(factor, tile(k, k), 0, 0);
    for (int i = k + 1; i < tiles; ++i) submit_task(solve, tile(k, k), tile(i, k), 0);
    for (int i = k + 1; i < tiles; ++i) {
      submit_task(square, tile(i, k), 0, tile(i, i));
      for (int j = k + 1; j < i; ++j) submit_task(update, tile(i, k), tile(j, k), tile(i, j));
    }
  }
}

/* --- timing ------------------------------------------------------------------------------------
 */

static double* memory; /* tile after tile, each dense */

static double* tile_memory(int number) {
  return memory + (size_t)number * (size_t)size * (size_t)size;
}

static inline double* element(int row, int column) {
  return tile_memory(tile(row / size, column / size)) + row % size * size + column % size;
}

static inline double first_value(int row, int column) {
  const unsigned mixed = (unsigned)(row < column ? row * 7919 + column : column * 7919 + row);
  return row == column ? size * tiles : (mixed * 2654435761u >> 8) / 16777216.0 - 0.5;
}

static void fill(void) {
  for (int i = 0; i < size * tiles; ++i)
    for (int j = 0; j < size * tiles; ++j) *element(i, j) = first_value(i, j);
}

/* A few rows of l l^T. */
static void check_result(void) {
  const int n = size * tiles;
  for (int i = 0; i < n; i += n / 5 + 1)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k <= j; ++k) sum += *element(i, k) * *element(j, k);
      if (fabs(sum - first_value(i, j)) < 1e-10 * n) continue;
      fprintf(stderr, "wrong at %d, %d\n", i, j);
      exit(1);
    }
}

static inline double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline void take_arguments(int argc, char** argv) {
  tiles = argc > 1 ? atoi(argv[1]) : 16;
  size = argc > 2 ? atoi(argv[2]) : 64;
  with_priorities = argc > 3 && strcmp(argv[3], "priorities") == 0;
  memory = aligned_alloc(128, sizeof(double) * (size_t)(tiles * tiles) * (size_t)(size * size));
  if (!memory || tiles < 1 || size < 8) exit(2);
}

/* begin() registers the tiles, end() brings them back. */
static inline void show(const char* name, void (*begin)(void), void (*end)(void)) {
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    fill();
    begin();
    const double began = seconds();
    submit_all();
    wait_for_tasks();
    const double took = seconds() - began;
    end();
    check_result();
    if (took < best) best = took;
  }
  printf("%s %.5f\n", name, best);
}

#endif
