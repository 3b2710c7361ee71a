/* The for construct under every schedule clause, with and without chunks, for teams and loops of
 * many sizes: each iteration runs exactly once, empty loops run nothing, and lastprivate, the
 * linear chunk order of static and the implied barrier hold. */
#include <omp.h>
#include <string.h>

#include "expect.h"

enum { most_turns = 1000 };

static int ran[most_turns];

static void check_each_once(const char* schedule, int turns) {
  for (int i = 0; i < most_turns; i++) expect_equal(schedule, ran[i], i < turns);
}

#define LOOP_WITH(name, clause)                                                \
  static void name(int members, int turns) {                                   \
    memset(ran, 0, sizeof ran);                                                \
    int last = -1;                                                             \
    _Pragma("omp parallel num_threads(members)") {                             \
      _Pragma(clause) for (int i = 0; i < turns; i++) {                        \
        add_one(&ran[i]);                                                      \
        last = i;                                                              \
      }                                                                        \
      if (turns > 0) expect_equal("lastprivate with " #name, last, turns - 1); \
    }                                                                          \
    check_each_once("times an iteration ran with " #name, turns);              \
  }

static int three = 3; /* A chunk the compiler does not know. */

LOOP_WITH(plain, "omp for lastprivate(last)")
LOOP_WITH(static_whole, "omp for schedule(static) lastprivate(last)")
LOOP_WITH(static_1, "omp for schedule(static, 1) lastprivate(last)")
LOOP_WITH(static_3, "omp for schedule(static, three) lastprivate(last)")
LOOP_WITH(static_big, "omp for schedule(static, 5000) lastprivate(last)")
LOOP_WITH(dynamic_1, "omp for schedule(dynamic) lastprivate(last)")
LOOP_WITH(dynamic_3, "omp for schedule(dynamic, three) lastprivate(last)")
LOOP_WITH(dynamic_big, "omp for schedule(dynamic, 5000) lastprivate(last)")
LOOP_WITH(dynamic_in_order, "omp for schedule(monotonic : dynamic, 2) lastprivate(last)")
LOOP_WITH(dynamic_free, "omp for schedule(nonmonotonic : dynamic, 2) lastprivate(last)")
LOOP_WITH(guided_1, "omp for schedule(guided) lastprivate(last)")
LOOP_WITH(guided_7, "omp for schedule(guided, 7) lastprivate(last)")
LOOP_WITH(guided_in_order, "omp for schedule(monotonic : guided, 2) lastprivate(last)")
LOOP_WITH(by_runtime, "omp for schedule(runtime) lastprivate(last)")
LOOP_WITH(by_auto, "omp for schedule(auto) lastprivate(last)")

typedef void (*Loop)(int members, int turns);

static const Loop loops[] = {plain,      static_whole,     static_1,     static_3,
                             static_big, dynamic_1,        dynamic_3,    dynamic_big,
                             guided_1,   dynamic_in_order, dynamic_free, guided_7,
                             by_runtime, guided_in_order,  by_auto};

static void every_loop(int members, int turns) {
  for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++) loops[i](members, turns);
}

static void static_owners(void) {
  int owner[103];
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static, 5)
    for (int i = 0; i < 103; i++) owner[i] = omp_get_thread_num();
#pragma omp for schedule(static, 5)
    for (int i = 0; i < 103; i++) {
      expect_equal("owner under static,5", owner[i], (i / 5) % 4);
      expect_equal("the same owner in the next loop", owner[i], omp_get_thread_num());
    }
  }
}

static void implied_barrier(void) {
  int done = 0;
#pragma omp parallel num_threads(5)
  for (int turn = 1; turn <= 100; turn++) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 7; i++) add_one(&done);
    expect_equal("iterations done after the loop", load(&done), 7 * turn);
#pragma omp barrier
  }
}

int main(void) {
  static const int turns[] = {0, 1, 2, 3, 5, 16, 17, 100, most_turns};
  int sizes[] = {1, 2, 3, 4, 7, 16, omp_get_max_threads()};
  for (int m = 0; m < 7; m++) {
    for (int t = expect_empty_lastprivate ? 0 : 1; t < 9; t++) every_loop(sizes[m], turns[t]);
  }
  static_owners();
  implied_barrier();
  return expect_result();
}
