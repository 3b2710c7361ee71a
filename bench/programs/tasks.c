/* Explicit tasks: what one costs, and programs made of them. An operation is one task, but for the
 * programs: there it is one run (fib, nqueens, sort, tree, lu; _cut: with a cut-off below which
 * they go on without tasks). Each run is checked, so that a runtime that loses tasks is not fast.
 */
#include <omp.h>

#include "measure.h"

#define KEEP __asm__ volatile("" ::: "memory")

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "tasks: %s: wrong result\n", what);
  exit(1);
}

/* --- what one task costs -----------------------------------------------------------------------
 */

static void one_producer(long count) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < count; i++) {
#pragma omp task
    KEEP;
  }
}

static void all_producers(long count) {
#pragma omp parallel
  {
    const long mine = count / omp_get_num_threads() + 1;
    for (long i = 0; i < mine; i++) {
#pragma omp task
      KEEP;
    }
  }
}

static void taskwait_each(long count) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < count; i++) {
#pragma omp task
    KEEP;
#pragma omp taskwait
  }
}

static void chain(long count) {
  long at = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < count; i++) {
#pragma omp task depend(inout : at)
    at++;
  }
  expect(at == count, "chain");
}

enum { side = 64 };
static long cells[side + 1][side + 1];

/* A wavefront: each cell after those above it and to its left. */
static void wavefront(long count) {
#pragma omp parallel
#pragma omp single
  for (long done = 0; done < count; done += (long)side * side) {
    for (int i = 1; i <= side; i++)
      for (int j = 1; j <= side; j++) {
#pragma omp task depend(in : cells[i - 1][j], cells[i][j - 1]) depend(out : cells[i][j])
        cells[i][j] = 1 + (cells[i - 1][j] > cells[i][j - 1] ? cells[i - 1][j] : cells[i][j - 1]);
      }
#pragma omp taskwait
    expect(cells[side][side] == 2 * side - 1, "wavefront");
  }
}

static void taskloop(long count) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (long i = 0; i < count; i++) KEEP;
}

static void taskyield(long count) {
#pragma omp parallel
  {
    const long mine = count / omp_get_num_threads() + 1;
    for (long i = 0; i < mine; i++) {
#pragma omp taskyield
    }
  }
}

/* --- programs ----------------------------------------------------------------------------------
 */

static long fib_of(int n, int cut) {
  long a, b;
  if (n < 2) return n;
  if (n < cut) return fib_of(n - 1, cut) + fib_of(n - 2, cut);
#pragma omp task shared(a)
  a = fib_of(n - 1, cut);
  b = fib_of(n - 2, cut);
#pragma omp taskwait
  return a + b;
}

static long queens_of(int n, int row, unsigned columns, unsigned down, unsigned up, int cut) {
  if (row == n) return 1;
  long sums[16] = {0}, sum = 0;
  for (int c = 0; c < n; c++) {
    const unsigned bit = 1u << c, d = 1u << (row + c), u = 1u << (row - c + n);
    if ((columns & bit) || (down & d) || (up & u)) continue;
    if (row >= cut) {
      sums[c] = queens_of(n, row + 1, columns | bit, down | d, up | u, cut);
    } else {
#pragma omp task shared(sums)
      sums[c] = queens_of(n, row + 1, columns | bit, down | d, up | u, cut);
    }
  }
#pragma omp taskwait
  for (int c = 0; c < n; c++) sum += sums[c];
  return sum;
}

enum { sort_size = 1 << 17 };
static int to_sort[sort_size], room[sort_size];

static void merge(int* a, long n, long half) {
  long i = 0, j = half, k = 0;
  int* out = room + (a - to_sort);
  while (i < half && j < n) out[k++] = a[i] <= a[j] ? a[i++] : a[j++];
  while (i < half) out[k++] = a[i++];
  while (j < n) out[k++] = a[j++];
  memcpy(a, out, (size_t)n * sizeof *a);
}

static void sort_range(int* a, long n, long cut) {
  if (n < 2) return;
  const long half = n / 2;
  if (n < cut) {
    sort_range(a, half, cut);
    sort_range(a + half, n - half, cut);
  } else {
#pragma omp task
    sort_range(a, half, cut);
    sort_range(a + half, n - half, cut);
#pragma omp taskwait
  }
  merge(a, n, half);
}

/* A tree whose shape nobody knows beforehand: a node has 0 or 8 children, by its number. */
static uint64_t mix(uint64_t x) {
  x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}
static long tree_of(uint64_t node, int depth, int cut) {
  long sums[8] = {0}, sum = 1;
  if (depth > 3 && mix(node) % 100 >= 12) return 1;
  if (depth > 40) return 1;
  for (uint64_t c = 0; c < 8; c++) {
    if (depth >= cut) {
      sums[c] = tree_of(mix(node * 8 + c), depth + 1, cut);
    } else {
#pragma omp task shared(sums)
      sums[c] = tree_of(mix(node * 8 + c), depth + 1, cut);
    }
  }
#pragma omp taskwait
  for (int c = 0; c < 8; c++) sum += sums[c];
  return sum;
}

/* Right-looking LU of blocks, three of four empty off the diagonal, as in the usual sparse LU. */
enum { lu_blocks = 16, lu_side = 16 };
static double* lu[lu_blocks][lu_blocks];
static double lu_memory[lu_blocks][lu_blocks][lu_side * lu_side];

static void lu_fill(void) {
  for (int i = 0; i < lu_blocks; i++)
    for (int j = 0; j < lu_blocks; j++) {
      const int there = i == j || abs(i - j) == 1 || (i % 4 == 0 && j % 4 == 0);
      lu[i][j] = there ? lu_memory[i][j] : NULL;
      for (int k = 0; k < lu_side * lu_side; k++)
        lu_memory[i][j][k] = !there                               ? 0
                             : (i == j && k % (lu_side + 1) == 0) ? 100
                                                                  : 1.0 / (1 + k % 7);
    }
}
static void lu_diagonal(double* a) {
  for (int k = 0; k < lu_side; k++)
    for (int i = k + 1; i < lu_side; i++) {
      a[i * lu_side + k] /= a[k * lu_side + k];
      for (int j = k + 1; j < lu_side; j++)
        a[i * lu_side + j] -= a[i * lu_side + k] * a[k * lu_side + j];
    }
}
static void lu_row(const double* d, double* a) {
  for (int k = 0; k < lu_side; k++)
    for (int i = k + 1; i < lu_side; i++)
      for (int j = 0; j < lu_side; j++)
        a[i * lu_side + j] -= d[i * lu_side + k] * a[k * lu_side + j];
}
static void lu_column(const double* d, double* a) {
  for (int i = 0; i < lu_side; i++)
    for (int k = 0; k < lu_side; k++) {
      a[i * lu_side + k] /= d[k * lu_side + k];
      for (int j = k + 1; j < lu_side; j++)
        a[i * lu_side + j] -= a[i * lu_side + k] * d[k * lu_side + j];
    }
}
static void lu_inner(const double* row, const double* column, double* a) {
  for (int i = 0; i < lu_side; i++)
    for (int k = 0; k < lu_side; k++)
      for (int j = 0; j < lu_side; j++)
        a[i * lu_side + j] -= row[i * lu_side + k] * column[k * lu_side + j];
}
static void lu_factor(void) {
  for (int k = 0; k < lu_blocks; k++) {
    lu_diagonal(lu[k][k]);
    for (int j = k + 1; j < lu_blocks; j++) {
      if (lu[k][j]) {
#pragma omp task
        lu_row(lu[k][k], lu[k][j]);
      }
      if (lu[j][k]) {
#pragma omp task
        lu_column(lu[k][k], lu[j][k]);
      }
    }
#pragma omp taskwait
    for (int i = k + 1; i < lu_blocks; i++)
      for (int j = k + 1; j < lu_blocks; j++) {
        if (!lu[i][k] || !lu[k][j]) continue;
        if (!lu[i][j]) lu[i][j] = lu_memory[i][j];
#pragma omp task
        lu_inner(lu[i][k], lu[k][j], lu[i][j]);
      }
#pragma omp taskwait
  }
}

#define RUNS(name, statement, result)                              \
  static void name(long count) {                                   \
    for (long run = 0; run < count; run++) {                       \
      long got = 0;                                                \
      _Pragma("omp parallel") _Pragma("omp single") { statement; } \
      expect(got == (result), #name);                              \
    }                                                              \
  }
RUNS(fib, got = fib_of(20, 0), 6765)
RUNS(fib_cut, got = fib_of(27, 14), 196418)
RUNS(nqueens, got = queens_of(8, 0, 0, 0, 0, 99), 92)
RUNS(nqueens_cut, got = queens_of(10, 0, 0, 0, 0, 3), 724)
static long tree_size;
RUNS(tree, got = tree_of(1, 0, 99), tree_size)
RUNS(tree_cut, got = tree_of(1, 0, 6), tree_size)

static void sorted(long count, long cut) {
  for (long run = 0; run < count; run++) {
    for (long i = 0; i < sort_size; i++) to_sort[i] = (int)(mix((uint64_t)i) & 0x7fffffff);
#pragma omp parallel
#pragma omp single
    sort_range(to_sort, sort_size, cut);
    for (long i = 1; i < sort_size; i++) expect(to_sort[i - 1] <= to_sort[i], "sort");
  }
}
static void sort(long count) { sorted(count, 16); }
static void sort_cut(long count) { sorted(count, 2048); }

static void lu_runs(long count) {
  for (long run = 0; run < count; run++) {
    lu_fill();
#pragma omp parallel
#pragma omp single
    lu_factor();
    expect(lu[lu_blocks - 1][lu_blocks - 1][0] > 90, "lu");
  }
}

static const bench_case cases[] = {{"one_producer", one_producer, 1},
                                   {"all_producers", all_producers, 1},
                                   {"taskwait_each", taskwait_each, 1},
                                   {"chain", chain, 1},
                                   {"wavefront", wavefront, (long)side* side},
                                   {"taskloop", taskloop, 1},
                                   {"taskyield", taskyield, 1},
                                   {"fib", fib, 1},
                                   {"fib_cut", fib_cut, 1},
                                   {"nqueens", nqueens, 1},
                                   {"nqueens_cut", nqueens_cut, 1},
                                   {"sort", sort, 1},
                                   {"sort_cut", sort_cut, 1},
                                   {"tree", tree, 1},
                                   {"tree_cut", tree_cut, 1},
                                   {"lu", lu_runs, 1},
                                   {NULL, NULL, 0}};

int main(int argc, char** argv) {
  tree_size = tree_of(1, 0, 0); /* outside of regions: one thread */
  return bench_main(cases, argc, argv);
}
