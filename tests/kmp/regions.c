/* Parallel regions as Clang calls them: any number of shared and copied variables, sizes of teams,
 * regions that the compiler runs inline, and the numbers by which it tells threads apart. */
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "expect.h"

extern int32_t __kmpc_global_thread_num(void*);
extern int32_t __kmpc_bound_thread_num(void*);
extern int32_t __kmpc_bound_num_threads(void*);
extern int32_t __kmpc_in_parallel(void*);

enum { most_threads = 64, asked = 3 };

/* --- variables: each is a word of its own to the region ------------------------------------------
 */

static void expect_aligned(void) {
  expect_equal("alignment of the stack", (uintptr_t)__builtin_frame_address(0) % 16, 0);
}

static void none(void) {
  static int seen;
#pragma omp parallel num_threads(asked)
  {
    expect_aligned();
    add_one(&seen);
  }
  expect_equal("members of a region without variables", seen, asked);
}

static void as_many_as_registers(int a, int b, int c) {
  int seen = 0;
#pragma omp parallel num_threads(asked) firstprivate(a, b, c)
  {
    expect_aligned();
    expect_equal("three copied and one shared", a + b + c, 6);
    add_one(&seen);
  }
  expect_equal("members", seen, asked);
}

static void one_more(int a, int b, int c, int d) {
  int seen = 0;
#pragma omp parallel num_threads(asked) firstprivate(a, b, c, d)
  {
    expect_aligned();
    expect_true("four copied and one shared", a == 1 && b == 2 && c == 3 && d == 4);
    add_one(&seen);
  }
  expect_equal("members", seen, asked);
}

static void two_more(int a, int b, int c, int d, double e) {
  int seen = 0;
#pragma omp parallel num_threads(asked) firstprivate(a, b, c, d, e)
  {
    expect_aligned();
    expect_true("five copied", a == 1 && b == 2 && c == 3 && d == 4 && e == 5.5);
    add_one(&seen);
  }
  expect_equal("members", seen, asked);
}

static void many(int a, double b, char c, float d, long e, short f, unsigned g, int64_t h) {
  int k = 9, l = 10, m = 11, n = 12, o = 13, p = 14, q = 15, r = 16, s = 17, t = 0;
#pragma omp parallel num_threads(asked) firstprivate(a, b, c, d, e, f, g, h)
  {
    expect_aligned();
    expect_true("copied", a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7);
    expect_true("one of 64 bits", h == INT64_C(8) << 40);
    expect_equal("shared", k + l + m + n + o + p + q + r + s, 9 * (9 + 17) / 2);
    add_one(&t);
#pragma omp barrier
#pragma omp master
    k = l = m = n = o = p = q = r = s = 1;
  }
  expect_equal("members", t, asked);
  expect_equal("shared ones written", k + l + m + n + o + p + q + r + s, 9);
}

static void variables(void) {
  none();
  as_many_as_registers(1, 2, 3);
  one_more(1, 2, 3, 4);
  two_more(1, 2, 3, 4, 5.5);
  many(1, 2, 3, 4, 5, 6, 7, INT64_C(8) << 40);
}

/* --- sizes
 * ----------------------------------------------------------------------------------------- */

static int size_of(int clause) {
  int size = 0;
#pragma omp parallel num_threads(clause)
#pragma omp single
  size = omp_get_num_threads();
  return size;
}

static void clauses_hold_for_one_region(void) {
  omp_set_num_threads(2);
  expect_equal("num_threads", size_of(5), 5);
  int size = 0;
#pragma omp parallel
#pragma omp single
  size = omp_get_num_threads();
  expect_equal("the next region without the clause", size, 2);
#pragma omp parallel num_threads(6) if (size == 0)
  size = omp_get_num_threads();
  expect_equal("a region that the compiler runs inline", size, 1);
#pragma omp parallel
#pragma omp single
  size = omp_get_num_threads();
  expect_equal("the region after it", size, 2);
}

static void inline_regions_nest(int condition) {
#pragma omp parallel if (condition)
  {
    expect_equal("level", omp_get_level(), 1);
    expect_equal("in parallel", omp_in_parallel(), 0);
#pragma omp parallel if (condition)
    {
      expect_equal("level inside", omp_get_level(), 2);
      expect_equal("active level", omp_get_active_level(), 0);
      expect_equal("a team inside of those", size_of(4), 4);
      expect_equal("level afterwards", omp_get_level(), 2);
    }
    expect_equal("level back", omp_get_level(), 1);
  }
  expect_equal("level outside", omp_get_level(), 0);
}

/* --- numbers
 * --------------------------------------------------------------------------------------- */

static void number_is_the_members(void) {
  const int mine = __kmpc_global_thread_num(NULL);
#pragma omp parallel num_threads(7)
  {
    expect_equal("number in the process", __kmpc_global_thread_num(NULL), omp_get_thread_num());
    expect_equal("bound number", __kmpc_bound_thread_num(NULL), omp_get_thread_num());
    expect_equal("bound team", __kmpc_bound_num_threads(NULL), 7);
    expect_true("in parallel", __kmpc_in_parallel(NULL));
  }
  expect_equal("number outside", __kmpc_global_thread_num(NULL), mine);
  expect_equal("in parallel outside", __kmpc_in_parallel(NULL), 0);
}

/* All threads of the nested teams are alive at once when they note their numbers. */
static int numbers[most_threads];

static void note_number(int at) { numbers[at] = __kmpc_global_thread_num(NULL); }

static void expect_different(const char* what, int count) {
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++) expect_true(what, numbers[i] != numbers[j]);
}

static void nested_numbers_differ(void) {
  enum { outer = 4, inner = 5 };
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer)
  {
    const int maker = omp_get_thread_num();
    const int mine = __kmpc_global_thread_num(NULL);
#pragma omp parallel num_threads(inner)
    {
      note_number(maker * inner + omp_get_thread_num());
#pragma omp master
      expect_equal("member 0 keeps its maker's", __kmpc_global_thread_num(NULL), mine);
#pragma omp barrier
    }
#pragma omp barrier
  }
  expect_different("numbers of nested teams", outer * inner);
}

static pthread_barrier_t both;

static void* own_region(void* base) {
  const int first = *(const int*)base;
#pragma omp parallel num_threads(3)
  {
    note_number(first + omp_get_thread_num());
#pragma omp barrier
#pragma omp master
    pthread_barrier_wait(&both);
  }
  return NULL;
}

static void program_threads_differ(void) {
  int first[2] = {0, 3};
  pthread_barrier_init(&both, NULL, 2);
  pthread_t other;
  pthread_create(&other, NULL, own_region, &first[1]);
  own_region(&first[0]);
  pthread_join(other, NULL);
  expect_different("numbers of two of the program's threads", 6);
}

int main(void) {
  variables();
  clauses_hold_for_one_region();
  inline_regions_nest(0);
  number_is_the_members();
  nested_numbers_differ();
  program_threads_differ();
  return expect_result();
}
