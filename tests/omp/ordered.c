/* The ordered construct: blocks run in iteration order, one at a time, whatever the schedule, also
 * when some iterations never reach their block, in wide loops and in nested teams. */
#include <omp.h>

#include "expect.h"

#define LOOP_WITH(name, Type, clause)                                          \
  static void name(int members, Type from, Type turns) {                       \
    Type next = from;                                                          \
    int inside = 0;                                                            \
    _Pragma("omp parallel num_threads(members)") {                             \
      _Pragma(clause) for (Type i = from; i < from + turns; i++) {             \
        _Pragma("omp ordered") {                                               \
          expect_equal("blocks inside at once, " #name, ++inside, 1);          \
          expect_equal("order of " #name, (long long)i, (long long)next);      \
          next = i + 1;                                                        \
          inside--;                                                            \
        }                                                                      \
      }                                                                        \
    }                                                                          \
    expect_equal("end of " #name, (long long)next, (long long)(from + turns)); \
  }

typedef unsigned long long Whole;

LOOP_WITH(static_whole, int, "omp for ordered schedule(static)")
LOOP_WITH(static_2, int, "omp for ordered schedule(static, 2)")
LOOP_WITH(dynamic_1, int, "omp for ordered schedule(dynamic)")
LOOP_WITH(dynamic_3, int, "omp for ordered schedule(dynamic, 3)")
LOOP_WITH(guided_1, int, "omp for ordered schedule(guided)")
LOOP_WITH(by_runtime, int, "omp for ordered schedule(runtime)")
LOOP_WITH(wide_static, Whole, "omp for ordered schedule(static)")
LOOP_WITH(wide_dynamic, Whole, "omp for ordered schedule(dynamic, 2)")
LOOP_WITH(wide_guided, Whole, "omp for ordered schedule(guided)")
LOOP_WITH(wide_runtime, Whole, "omp for ordered schedule(runtime)")

static void every_loop(int members, int turns) {
  static_whole(members, 0, turns);
  static_2(members, -5, turns);
  dynamic_1(members, 0, turns);
  dynamic_3(members, 7, turns);
  guided_1(members, 0, turns);
  by_runtime(members, 0, turns);
  Whole far = (1ULL << 63) - (Whole)turns / 2;
  wide_static(members, far, (Whole)turns);
  wide_dynamic(members, far, (Whole)turns);
  wide_guided(members, far, (Whole)turns);
  wide_runtime(members, far, (Whole)turns);
}

static void some_skip(void) {
  int last = -1;
  int blocks = 0;
#pragma omp parallel for num_threads(4) ordered schedule(dynamic)
  for (int i = 0; i < 60; i++) {
    if (i % 3 != 0) {
#pragma omp ordered
      {
        expect_true("order with gaps", i > last);
        last = i;
        blocks++;
      }
    }
  }
  expect_equal("ordered blocks with gaps", blocks, 40);
}

static void nested(void) {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(3)
  for (int turn = 0; turn < 10; turn++) dynamic_1(3, 0, 10);
}

int main(void) {
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
  for (int k = 0; k < 3; k++) {
    omp_set_schedule(kinds[k], k);
    for (int members = 1; members <= 16; members += 5) {
      every_loop(members, 0);
      every_loop(members, 1);
      every_loop(members, 50);
    }
  }
  some_skip();
  nested();
  return expect_result();
}
