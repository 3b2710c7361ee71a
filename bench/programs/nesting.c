/* Teams of teams. grid_NxM: an outer region of N threads, each of which opens a region of M, empty
 * or with 2 us of work for each thread; an operation is one outer region. tree_B_D: each thread
 * opens a region of B, D levels deep; an operation is one thread of the deepest level. cold_64x64:
 * a grid in a process that never saw one, so one sample a process. */
#include <omp.h>

#include "measure.h"

#define KEEP __asm__ volatile("" ::: "memory")

static void grid_once(int outer, int inner, double ns) {
#pragma omp parallel num_threads(outer)
  {
#pragma omp parallel num_threads(inner)
    {
      if (ns > 0) bench_work(ns);
      KEEP;
    }
  }
}

#define GRID(n, m)                                          \
  static void grid_##n##x##m(long count) {                  \
    for (long i = 0; i < count; i++) grid_once(n, m, 0);    \
  }                                                         \
  static void grid_##n##x##m##_2us(long count) {            \
    for (long i = 0; i < count; i++) grid_once(n, m, 2000); \
  }
GRID(2, 2)
GRID(2, 8)
GRID(4, 4)
GRID(8, 2)
GRID(8, 8)
GRID(16, 4)
GRID(16, 8)

static void grow(int branching, int depth, double ns) {
  if (depth == 0) {
    if (ns > 0) bench_work(ns);
    KEEP;
    return;
  }
#pragma omp parallel num_threads(branching)
  grow(branching, depth - 1, ns);
}

static long leaves(int branching, int depth) {
  long all = 1;
  for (int i = 0; i < depth; i++) all *= branching;
  return all;
}

static void trees(long count, int branching, int depth, double ns) {
  const long each = leaves(branching, depth);
  for (long done = 0; done < count; done += each) grow(branching, depth, ns);
}

#define TREE(b, d)                                                  \
  static void tree_##b##_##d(long count) { trees(count, b, d, 0); } \
  static void tree_##b##_##d##_half_us(long count) { trees(count, b, d, 500); }
TREE(4, 4)
TREE(4, 6)
TREE(4, 8)
TREE(8, 4)
TREE(8, 5)
TREE(10, 5)

static int cold(void) {
  const int64_t begin = bench_now_ns();
  grid_once(64, 64, 0);
  const double took = (double)(bench_now_ns() - begin);
  printf("cold_64x64\t%.1f\t%.1f\t1\n", took, took);
  return 0;
}

#define OF_GRID(n, m) \
  {"grid_" #n "x" #m, grid_##n##x##m, 1}, { "grid_" #n "x" #m "_2us", grid_##n##x##m##_2us, 1 }
#define OF_TREE(b, d, all)                                      \
  {"tree_" #b "_" #d, tree_##b##_##d, all}, {                   \
    "tree_" #b "_" #d "_half_us", tree_##b##_##d##_half_us, all \
  }
static const bench_case cases[] = {
    OF_GRID(2, 2),          OF_GRID(2, 8),        OF_GRID(4, 4),       OF_GRID(8, 2),
    OF_GRID(8, 8),          OF_GRID(16, 4),       OF_GRID(16, 8),      OF_TREE(4, 4, 256),
    OF_TREE(4, 6, 4096),    OF_TREE(4, 8, 65536), OF_TREE(8, 4, 4096), OF_TREE(8, 5, 32768),
    OF_TREE(10, 5, 100000), {NULL, NULL, 0}};

int main(int argc, char** argv) {
  omp_set_max_active_levels(16);
  omp_set_dynamic(0);
  if (argc > 1 && strcmp(argv[1], "cold_64x64") == 0) return cold();
  return bench_main(cases, argc, argv);
}
