/* Doacross loops as Clang calls them: each schedule, steps of either sign, collapsed loops, sinks
 * that do not exist, and nests that are told by hand. What a sink waits for is there. */
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "expect.h"

enum { rows = 23, columns = 9, planes = 4 };

/* 1 + the sum of what the iterations above and to the left have: paths to each cell. */
typedef struct Table {
  unsigned long long cell[rows + 1][columns + 1];
} Table;

static void expect_paths(const char* what, const Table* table) {
  Table expected;
  memset(&expected, 0, sizeof expected);
  for (int i = 1; i <= rows; i++)
    for (int j = 1; j <= columns; j++)
      expected.cell[i][j] = 1 + expected.cell[i - 1][j] + expected.cell[i][j - 1];
  for (int i = 1; i <= rows; i++)
    for (int j = 1; j <= columns; j++)
      expect_equal(what, (long long)table->cell[i][j], (long long)expected.cell[i][j]);
}

#define PATHS(name, clauses)                                                                      \
  static void name(int threads) {                                                                 \
    Table table;                                                                                  \
    memset(&table, 0, sizeof table);                                                              \
    _Pragma("omp parallel num_threads(threads)")                                                  \
        _Pragma(clauses) for (int i = 1; i <= rows; i++) for (int j = 1; j <= columns; j++) {     \
      _Pragma("omp ordered doacross(sink: i - 1, j) doacross(sink: i, j - 1)") table.cell[i][j] = \
          1 + table.cell[i - 1][j] + table.cell[i][j - 1];                                        \
      _Pragma("omp ordered doacross(source: omp_cur_iteration)")                                  \
    }                                                                                             \
    expect_paths(#name, &table);                                                                  \
  }

PATHS(unsaid, "omp for ordered(2)")
PATHS(in_blocks, "omp for ordered(2) schedule(static)")
PATHS(in_chunks, "omp for ordered(2) schedule(static,2)")
PATHS(dynamic, "omp for ordered(2) schedule(dynamic,3)")
PATHS(guided, "omp for ordered(2) schedule(guided)")
PATHS(runtime, "omp for ordered(2) schedule(runtime)")
PATHS(collapsed, "omp for collapse(2) ordered(2)")
PATHS(collapsed_in_blocks, "omp for collapse(2) ordered(2) schedule(static)")
PATHS(collapsed_dynamic, "omp for collapse(2) ordered(2) schedule(dynamic,4)")

/* From the last cell to the first, by steps of 2 and 3. */
static void downwards(int threads) {
  enum { far = 2 * rows, wide = 3 * columns };
  static int done[far + 3][wide + 4];
  memset(done, 0, sizeof done);
#pragma omp parallel num_threads(threads)
#pragma omp for ordered(2) schedule(dynamic)
  for (long i = far; i > 0; i -= 2)
    for (short j = wide; j > 0; j -= 3) {
#pragma omp ordered doacross(sink : i + 2, j) doacross(sink : i, j + 3)
      if (i + 2 <= far) expect_equal("the row below", done[i + 2][j], 1);
      if (j + 3 <= wide) expect_equal("the column right", done[i][j + 3], 1);
      done[i][j] = 1;
#pragma omp ordered doacross(source : omp_cur_iteration)
    }
}

/* A sink beyond the end of the row above does not exist: nobody waits for it. */
static void beyond_the_row(int threads) {
  static int done[rows][columns];
  memset(done, 0, sizeof done);
#pragma omp parallel num_threads(threads)
#pragma omp for ordered(2) schedule(static, 1)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
#pragma omp ordered doacross(sink : i - 1, j + 1)
      if (i > 0 && j + 1 < columns) expect_equal("above and right", done[i - 1][j + 1], 1);
      done[i][j] = 1;
#pragma omp ordered doacross(source : omp_cur_iteration)
    }
}

static void three_deep(int threads) {
  static int done[rows][columns][planes];
  memset(done, 0, sizeof done);
#pragma omp parallel num_threads(threads)
#pragma omp for collapse(2) ordered(3) schedule(dynamic)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      for (int k = 0; k < planes; k++) {
#pragma omp ordered doacross(sink : i - 1, j, k) doacross(sink : i, j - 1, k)
        if (i > 0) expect_equal("above", done[i - 1][j][k], 1);
        if (j > 0) expect_equal("left", done[i][j - 1][k], 1);
        done[i][j][k] = 1;
#pragma omp ordered doacross(source : omp_cur_iteration)
      }
}

/* --- by hand: bounds that are part of the loop, told as Intel's compilers do ---------------------
 */

typedef struct Dim {
  int64_t lower, upper, step;
} Dim;
void __kmpc_doacross_init(void*, int, int, const Dim*);
void __kmpc_doacross_wait(void*, int, const int64_t*);
void __kmpc_doacross_post(void*, int, const int64_t*);
void __kmpc_doacross_fini(void*, int);
int __kmpc_global_thread_num(void*);

static void by_hand(int threads, int step) {
  enum { count = 200 };
  static int value[2 * 3 * count + 1];
  int* const middle = value + 3 * count;
  memset(value, 0, sizeof value);
  middle[0] = 1;
#pragma omp parallel num_threads(threads)
  {
    const int thread = __kmpc_global_thread_num(0);
    Dim dim = {step, (int64_t)count * step, step};
    __kmpc_doacross_init(0, thread, 1, &dim);
    memset(&dim, 0x55, sizeof dim); /* It was read. */
#pragma omp for nowait schedule(dynamic, 3)
    for (int i = 1; i <= count; i++) {
      int64_t at = (int64_t)(i - 1) * step;
      __kmpc_doacross_wait(0, thread, &at);
      middle[i * step] = middle[at] + 1;
      at = (int64_t)i * step;
      __kmpc_doacross_post(0, thread, &at);
    }
    __kmpc_doacross_fini(0, thread);
  }
  expect_equal("the end of a chain by hand", middle[count * step], count + 1);
}

int main(void) {
  static void (*const loops[])(int) = {
      unsaid,    in_blocks,           in_chunks,         dynamic,   guided,         runtime,
      collapsed, collapsed_in_blocks, collapsed_dynamic, downwards, beyond_the_row, three_deep};
  for (int threads = 1; threads <= 17; threads += threads < 5 ? 1 : 4) {
    omp_set_schedule(threads % 2 ? omp_sched_dynamic : omp_sched_static, threads % 3);
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++) loops[i](threads);
    by_hand(threads, 3);
    by_hand(threads, -2);
  }
  return expect_result();
}
