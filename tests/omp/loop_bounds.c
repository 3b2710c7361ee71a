/* Loops with awkward bounds, signed: negative steps, steps that do not divide, empty ranges in both
 * directions, bounds near the limits of int and long long, under each schedule kind. */
#include <limits.h>
#include <omp.h>

#include "expect.h"

typedef long long Wide;

typedef struct Sum {
  Wide count;
  unsigned long long total; /* Of the iteration variable, modulo 2^64. */
} Sum;

#define LOOP_WITH(name, Type, order, clause)                     \
  static Sum name(Type from, Type to, Type step) {               \
    Wide count = 0;                                              \
    unsigned long long total = 0;                                \
    _Pragma(clause) for (Type i = from; i order to; i += step) { \
      count++;                                                   \
      total += (unsigned long long)i;                            \
    }                                                            \
    return (Sum){count, total};                                  \
  }

#define LOOPS(suffix, Type, order)                                           \
  LOOP_WITH(static_##suffix, Type, order,                                    \
            "omp parallel for reduction(+:count,total) schedule(static)")    \
  LOOP_WITH(chunked_##suffix, Type, order,                                   \
            "omp parallel for reduction(+:count,total) schedule(static,3)")  \
  LOOP_WITH(dynamic_##suffix, Type, order,                                   \
            "omp parallel for reduction(+:count,total) schedule(dynamic,2)") \
  LOOP_WITH(guided_##suffix, Type, order,                                    \
            "omp parallel for reduction(+:count,total) schedule(guided)")    \
  LOOP_WITH(runtime_##suffix, Type, order,                                   \
            "omp parallel for reduction(+:count,total) schedule(runtime)")

LOOPS(up_int, int, <)
LOOPS(down_int, int, >)
LOOPS(to_int, int, <=)
LOOPS(up_wide, Wide, <)
LOOPS(down_wide, Wide, >)
LOOPS(to_wide, Wide, <=)
LOOPS(downto_wide, Wide, >=)

typedef Sum (*IntLoop)(int, int, int);
typedef Sum (*WideLoop)(Wide, Wide, Wide);

static const IntLoop up_int[] = {static_up_int, chunked_up_int, dynamic_up_int, guided_up_int,
                                 runtime_up_int};
static const IntLoop down_int[] = {static_down_int, chunked_down_int, dynamic_down_int,
                                   guided_down_int, runtime_down_int};
static const IntLoop to_int[] = {static_to_int, chunked_to_int, dynamic_to_int, guided_to_int,
                                 runtime_to_int};
static const WideLoop up_wide[] = {static_up_wide, chunked_up_wide, dynamic_up_wide, guided_up_wide,
                                   runtime_up_wide};
static const WideLoop down_wide[] = {static_down_wide, chunked_down_wide, dynamic_down_wide,
                                     guided_down_wide, runtime_down_wide};
static const WideLoop to_wide[] = {static_to_wide, chunked_to_wide, dynamic_to_wide, guided_to_wide,
                                   runtime_to_wide};
static const WideLoop downto_wide[] = {static_downto_wide, chunked_downto_wide, dynamic_downto_wide,
                                       guided_downto_wide, runtime_downto_wide};

/* The sum over `count` turns from `from` by `step`, without overflow in the variable itself. */
static Sum expected_sum(Wide from, Wide step, Wide count) {
  Sum sum = {count, 0};
  for (Wide i = 0; i < count; i++) {
    sum.total += (unsigned long long)from + (unsigned long long)step * (unsigned long long)i;
  }
  return sum;
}

static void compare(const char* what, Sum seen, Sum expected) {
  expect_equal(what, seen.count, expected.count);
  expect_equal(what, (Wide)seen.total, (Wide)expected.total);
}

static void ints(const IntLoop* loops, const char* what, int from, int to, int step, int count) {
  for (int i = 0; i < 5; i++) {
    compare(what, loops[i](from, to, step), expected_sum(from, step, count));
  }
}

static void wides(const WideLoop* loops, const char* what, Wide from, Wide to, Wide step,
                  Wide count) {
  for (int i = 0; i < 5; i++) {
    compare(what, loops[i](from, to, step), expected_sum(from, step, count));
  }
}

static void int_loops(void) {
  ints(up_int, "empty", 5, 5, 1, 0);
  ints(up_int, "empty, far", 5, -100, 7, 0);
  ints(up_int, "one", 5, 6, 1, 1);
  ints(up_int, "one, long step", 5, 6, 1000, 1);
  ints(up_int, "step 7", -50, 50, 7, 15);
  ints(down_int, "down by 1", 10, -10, -1, 20);
  ints(down_int, "down by 7", 50, -50, -7, 15);
  ints(down_int, "empty down", -5, 5, -1, 0);
  ints(up_int, "up to INT_MAX", INT_MAX - 40, INT_MAX, 1, 40);
  ints(down_int, "down to INT_MIN", INT_MIN + 40, INT_MIN, -1, 40);
  ints(up_int, "half of int", -(1 << 30), 7 << 27, 1 << 27, 15);
  ints(to_int, "up to and with", -3, 3, 1, 7);
  ints(to_int, "one, with", 3, 3, 5, 1);
}

static void wide_loops(void) {
  wides(up_wide, "empty wide", 1LL << 40, 1LL << 40, 1, 0);
  wides(up_wide, "past 2^32", (1LL << 33) - 20, (1LL << 33) + 20, 1, 40);
  wides(up_wide, "long steps", 0, 1LL << 60, 1LL << 52, 256);
  wides(up_wide, "to LLONG_MAX", LLONG_MAX - 100, LLONG_MAX, 1, 100);
  wides(up_wide, "by 3 short of LLONG_MAX", LLONG_MAX - 100, LLONG_MAX - 3, 3, 33);
  wides(down_wide, "to LLONG_MIN", LLONG_MIN + 100, LLONG_MIN, -1, 100);
  wides(down_wide, "by -3 short of LLONG_MIN", LLONG_MIN + 100, LLONG_MIN + 3, -3, 33);
  wides(up_wide, "from LLONG_MIN", LLONG_MIN, LLONG_MIN + 77, 1, 77);
  wides(down_wide, "from LLONG_MAX", LLONG_MAX, LLONG_MAX - 77, -1, 77);
  wides(to_wide, "with LLONG_MAX - 1", LLONG_MAX - 10, LLONG_MAX - 1, 1, 10);
  wides(downto_wide, "with LLONG_MIN + 1", LLONG_MIN + 10, LLONG_MIN + 1, -1, 10);
  wides(up_wide, "half the range", -(1LL << 61), 1LL << 61, 1LL << 56, 64);
  wides(down_wide, "half the range down", 1LL << 61, -(1LL << 61), -(1LL << 56), 64);
}

int main(void) {
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
  for (int k = 0; k < 3; k++) {
    omp_set_schedule(kinds[k], k);
    int_loops();
    wide_loops();
  }
  return expect_result();
}
