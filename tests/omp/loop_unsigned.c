/* Loops over unsigned and unsigned long long: bounds beyond the signed range, near the largest
 * value, counting down to zero, and with steps written as negative numbers, under each schedule. */
#include <limits.h>
#include <omp.h>

#include "expect.h"

typedef unsigned long long Whole;

typedef struct Sum {
  Whole count;
  Whole total;
} Sum;

#define LOOP_WITH(name, order, move, clause)                        \
  static Sum name(Whole from, Whole to, Whole step) {               \
    Whole count = 0;                                                \
    Whole total = 0;                                                \
    _Pragma(clause) for (Whole i = from; i order to; i move step) { \
      count++;                                                      \
      total += i;                                                   \
    }                                                               \
    return (Sum){count, total};                                     \
  }

#define LOOPS(suffix, order, move)                                                     \
  LOOP_WITH(static_##suffix, order, move,                                              \
            "omp parallel for reduction(+:count,total) schedule(static)")              \
  LOOP_WITH(chunked_##suffix, order, move,                                             \
            "omp parallel for reduction(+:count,total) schedule(static,3)")            \
  LOOP_WITH(dynamic_##suffix, order, move,                                             \
            "omp parallel for reduction(+:count,total) schedule(dynamic,2)")           \
  LOOP_WITH(ordered_##suffix, order, move,                                             \
            "omp parallel for reduction(+:count,total) schedule(monotonic:dynamic,2)") \
  LOOP_WITH(guided_##suffix, order, move,                                              \
            "omp parallel for reduction(+:count,total) schedule(guided)")              \
  LOOP_WITH(runtime_##suffix, order, move,                                             \
            "omp parallel for reduction(+:count,total) schedule(runtime)")

LOOPS(up, <, +=)
LOOPS(down, >, -=)
LOOPS(to, <=, +=)

typedef Sum (*Loop)(Whole, Whole, Whole);

enum { kinds_of_loop = 6 };

static const Loop up[] = {static_up, chunked_up, dynamic_up, ordered_up, guided_up, runtime_up};
static const Loop down[] = {static_down,  chunked_down, dynamic_down,
                            ordered_down, guided_down,  runtime_down};
static const Loop to[] = {static_to, chunked_to, dynamic_to, ordered_to, guided_to, runtime_to};

static void compare(const Loop* loops, const char* what, Whole from, Whole end, Whole step,
                    Whole count) {
  Whole sign = loops == down ? (Whole)-1 : 1;
  Whole total = 0;
  for (Whole i = 0; i < count; i++) total += from + sign * step * i;
  for (int i = 0; i < kinds_of_loop; i++) {
    Sum seen = loops[i](from, end, step);
    expect_equal(what, (long long)seen.count, (long long)count);
    expect_equal(what, (long long)seen.total, (long long)total);
  }
}

static void every_range(void) {
  compare(up, "empty", 7, 7, 1, 0);
  compare(up, "empty, far", ULLONG_MAX, 0, 1, 0);
  compare(up, "one", 0, 1, 1, 1);
  compare(up, "across 2^63", (1ULL << 63) - 20, (1ULL << 63) + 20, 1, 40);
  compare(up, "to ULLONG_MAX", ULLONG_MAX - 50, ULLONG_MAX, 1, 50);
  compare(up, "by 7 to ULLONG_MAX - 8", ULLONG_MAX - 57, ULLONG_MAX - 8, 7, 7);
  compare(up, "the whole range", 0, ULLONG_MAX - (1ULL << 58), 1ULL << 58, 63);
  compare(down, "to zero", 50, 0, 1, 50);
  compare(down, "from ULLONG_MAX", ULLONG_MAX, ULLONG_MAX - 50, 1, 50);
  compare(down, "whole range down", ULLONG_MAX, 1ULL << 58, 1ULL << 58, 63);
  compare(down, "empty down", 3, 9, 1, 0);
  compare(to, "up to and with", 3, 9, 1, 7);
  compare(to, "with ULLONG_MAX - 1", ULLONG_MAX - 9, ULLONG_MAX - 1, 1, 9);
}

static void narrow_unsigned(void) {
  unsigned count = 0;
  unsigned total = 0;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : count, total)
  for (unsigned i = UINT_MAX - 20; i < UINT_MAX; i++) {
    count++;
    total += i;
  }
  expect_equal("unsigned turns", count, 20);
  expect_equal("unsigned sum", total, 20u * (UINT_MAX - 20) + 190u);
}

int main(void) {
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
  for (int k = 0; k < 3; k++) {
    omp_set_schedule(kinds[k], k);
    every_range();
  }
  narrow_unsigned();
  return expect_result();
}
