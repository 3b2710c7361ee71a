/* Dynamic loops that are repeated: XYLEM_REPEAT_DYNAMIC. With the argument `repeated` who ran an
 * iteration in a loop's first run is expected to run it in each later one. Without, each iteration
 * runs once, whoever runs it. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

enum { n = 240, nobody = -1 };

static int members, repeats;
static int owner[n], times[n];
static int iterations_run;
static int held_up; /* the member that waits in its first iteration */
static int holds;   /* it has not done so yet */

/* Who is held up waits until a quarter of the iterations ran, or for some 20 ms. */
static void ran(int i, int iterations) {
  const int me = omp_get_thread_num();
  add_one(&times[i]);
  store(&owner[i], me);
  add_one(&iterations_run);
  if (me != held_up || !__atomic_exchange_n(&holds, 0, __ATOMIC_SEQ_CST)) return;
  for (int poll = 0; poll < 200 && !reached(&iterations_run, iterations / 4); poll++) usleep(100);
}

/* Iterations first .. behind - 1 of the array, in teams that have a region already and as regions
 * of their own. */
#define LOOPS_WITH(name, clause)                                                                \
  static void name(int first, int behind) {                                                     \
    _Pragma("omp parallel num_threads(members)") {                                              \
      _Pragma(clause) for (int i = first; i < behind; i++) ran(i, behind - first);              \
    }                                                                                           \
  }                                                                                             \
  static void name##_down(int first, int behind) {                                              \
    _Pragma("omp parallel num_threads(members)") {                                              \
      _Pragma(clause) for (int i = behind - 1; i >= first; i--) ran(i, behind - first);         \
    }                                                                                           \
  }                                                                                             \
  static void name##_wide(int first, int behind) {                                              \
    const unsigned long long far = 1ULL << 63, from = far + (unsigned)first * 3;                \
    _Pragma("omp parallel num_threads(members)") {                                              \
      _Pragma(clause) for (unsigned long long i = from; i < far + (unsigned)behind * 3; i += 3) \
          ran((int)((i - far) / 3), behind - first);                                            \
    }                                                                                           \
  }

LOOPS_WITH(dynamic_1, "omp for schedule(dynamic)")
LOOPS_WITH(dynamic_7, "omp for schedule(monotonic: dynamic, 7)")
LOOPS_WITH(guided, "omp for schedule(guided)")
LOOPS_WITH(by_runtime, "omp for schedule(runtime)")
LOOPS_WITH(nowait, "omp for schedule(dynamic, 2) nowait")

static void combined(int first, int behind) {
#pragma omp parallel for schedule(dynamic, 3) num_threads(members)
  for (int i = first; i < behind; i++) ran(i, behind - first);
}

static void combined_guided(int first, int behind) {
#pragma omp parallel for schedule(guided, 2) num_threads(members)
  for (int i = first; i < behind; i++) ran(i, behind - first);
}

static void run(void (*loop)(int, int), int first, int behind, int hold_up) {
  memset(times, 0, sizeof times);
  iterations_run = 0;
  held_up = hold_up;
  holds = 1;
  loop(first, behind);
  for (int i = 0; i < n; i++)
    expect_equal("times an iteration ran", times[i], first <= i && i < behind);
}

/* Another member is held up in the second run: without repeating it has few iterations there. */
static void check(const char* what, void (*loop)(int, int), int first, int behind) {
  int before[n];
  run(loop, first, behind, 0);
  memcpy(before, owner, sizeof before);
  for (int again = 0; again < 3; again++) {
    run(loop, first, behind, again == 0 ? 1 : nobody);
    if (repeats)
      for (int i = first; i < behind; i++) expect_equal(what, owner[i], before[i]);
  }
}

#define CHECK(loop) check("owner of an iteration, " #loop, loop, 0, n)
#define CHECK_ALL(loop) (CHECK(loop), CHECK(loop##_down), CHECK(loop##_wide))

/* A part of the loop is a loop of its own, and what is known of the whole one stays known. */
static void other_bounds(void) {
  int before[n];
  run(combined, 0, n, nobody);
  memcpy(before, owner, sizeof before);
  check("owner in a part of the loop", combined, 10, 51);
  check("owner in another part", combined, 100, n);
  run(combined, 0, n, 1);
  if (repeats)
    for (int i = 0; i < n; i++) expect_equal("owner, after runs of parts", owner[i], before[i]);
}

/* Runs that follow each other without a barrier: the first may not be over when the next begins. */
static void in_a_row(void) {
  int sum = 0, last = 0;
#pragma omp parallel num_threads(members) reduction(+ : sum)
  for (int again = 0; again < 20; again++) {
#pragma omp for schedule(dynamic, 5) nowait
    for (int i = 0; i < n; i++) sum += i;
  }
  expect_equal("sum of loops in a row", sum, 20 * (n * (n - 1) / 2));
  for (int again = 0; again < 5; again++) {
#pragma omp parallel for schedule(dynamic) num_threads(members) lastprivate(last)
    for (int i = 0; i < n; i++) last = i;
    expect_equal("lastprivate", last, n - 1);
  }
}

/* Teams that run the same loop side by side. */
static void in_teams(void) {
  int sum = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3) reduction(+ : sum)
  for (int again = 0; again < 5; again++) {
    int own = 0;
#pragma omp parallel for schedule(guided) num_threads(2) reduction(+ : own)
    for (int i = 0; i < n; i++) own += i;
    sum += own;
  }
  expect_equal("sum of loops of teams", sum, 3 * 5 * (n * (n - 1) / 2));
}

/* Ordered loops and sections are not repeated, and are right. */
static void others(void) {
  int next = 0, sections = 0;
  for (int again = 0; again < 3; again++) {
    next = 0;
#pragma omp parallel for ordered schedule(dynamic) num_threads(members)
    for (int i = 0; i < n; i++)
#pragma omp ordered
      next += next == i;
    expect_equal("ordered iterations", next, n);
#pragma omp parallel sections num_threads(members)
    {
#pragma omp section
      add_one(&sections);
#pragma omp section
      add_one(&sections);
    }
  }
  expect_equal("sections", sections, 6);
}

int main(int count, char** words) {
  repeats = count > 1 && strcmp(words[1], "repeated") == 0;
  static const int sizes[] = {1, 2, 4, 16};
  omp_set_schedule(omp_sched_dynamic, 4);
  for (int s = 0; s < 4; s++) {
    members = sizes[s];
    CHECK_ALL(dynamic_1);
    CHECK_ALL(dynamic_7);
    CHECK_ALL(guided);
    CHECK_ALL(by_runtime);
    CHECK_ALL(nowait);
    CHECK(combined);
    CHECK(combined_guided);
    other_bounds();
    in_a_row();
  }
  in_teams();
  others();
  return expect_result();
}
