/* A thread gets the chunks of schedule(dynamic) and schedule(runtime) in the order of the
 * iterations, though the clause does not say `monotonic`: programs keep, say, the first index at
 * which something failed. Nor does it hold chunks that it has not begun: an iteration may wait for
 * all later ones.
 *
 * With the argument `any` (XYLEM_NONMONOTONIC) or `any_by_runtime`
 * (OMP_SCHEDULE=nonmonotonic:dynamic) some thread gets an earlier chunk after a later one. */
#include <omp.h>
#include <string.h>

#include "expect.h"

enum { loops = 500, turns = 1000 };

/* What a thread has seen of its loop. */
struct order {
  long long last;
};

static void start(struct order* mine) { mine->last = -1; }

static void next(struct order* mine, const char* what, long long at) {
  if (at <= mine->last && expect_failed())
    fprintf(stderr, "FAIL: %s: %lld after %lld\n", what, at, mine->last);
  mine->last = at;
}

/* Iterations differ, so that threads do not go in step. */
static void work(long long at) {
  for (volatile int i = 0; i < (at % 7) * 20; i++) {
  }
}

static void plain(int members) {
#pragma omp parallel num_threads(members)
  for (int loop = 0; loop < loops; loop++) {
    struct order mine;
    start(&mine);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < turns; i++) {
      next(&mine, "dynamic", i);
      if (loop % 50 == 0) work(i);
    }
  }
}

static void in_chunks(int members, int chunk) {
#pragma omp parallel num_threads(members)
  for (int loop = 0; loop < loops / 5; loop++) {
    struct order mine;
    start(&mine);
#pragma omp for schedule(dynamic, chunk)
    for (int i = turns; i > 0; i--) next(&mine, "dynamic with a chunk, downwards", turns - i);
  }
}

static void combined(int members) {
  for (int loop = 0; loop < loops / 5; loop++) {
    struct order order[16];
    for (int i = 0; i < 16; i++) start(&order[i]);
#pragma omp parallel for schedule(dynamic) num_threads(members)
    for (int i = 0; i < turns; i++) next(&order[omp_get_thread_num()], "parallel for", i);
#pragma omp parallel for schedule(runtime) num_threads(members)
    for (int i = 0; i < turns; i++)
      next(&order[omp_get_thread_num()], "parallel for, runtime", turns + i);
  }
}

static void by_runtime(int members) {
#pragma omp parallel num_threads(members)
  for (int loop = 0; loop < loops; loop++) {
    struct order mine;
    start(&mine);
#pragma omp for schedule(runtime)
    for (int i = 0; i < turns; i++) next(&mine, "runtime", i);
  }
}

static void unsigned_ones(int members) {
  const unsigned long long first = ~0ull - 2 * turns;
#pragma omp parallel num_threads(members)
  for (int loop = 0; loop < loops; loop++) {
    struct order mine;
    start(&mine);
#pragma omp for schedule(dynamic, 3) nowait
    for (unsigned long long i = first; i < first + turns; i++)
      next(&mine, "unsigned long long", (long long)(i - first));
    start(&mine);
#pragma omp for schedule(runtime)
    for (unsigned long long i = first; i < first + turns; i++)
      next(&mine, "unsigned long long, runtime", (long long)(i - first));
  }
}

static void collapsed(int members) {
#pragma omp parallel num_threads(members)
  for (int loop = 0; loop < loops; loop++) {
    struct order mine;
    start(&mine);
#pragma omp for collapse(2) schedule(dynamic)
    for (int i = 0; i < 30; i++)
      for (int j = 0; j < 40; j++) next(&mine, "collapsed", 40 * i + j);
  }
}

static void chained(int members) {
#pragma omp parallel num_threads(members)
  for (int loop = 0; loop < loops; loop++) {
    struct order mine;
    start(&mine);
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < turns; i++) next(&mine, "nowait", i);
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < turns; i++) next(&mine, "nowait, the second", turns + i);
  }
}

static void cancelled(int members) {
#pragma omp parallel num_threads(members)
  for (int loop = 0; loop < loops; loop++) {
    struct order mine;
    start(&mine);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < turns; i++) {
      next(&mine, "cancelled", i);
      if (i == turns / 2) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
}

/* Iteration `held` waits until all other iterations are done. */
struct held_up {
  int held, others, went_back;
};

static void held_up_turn(struct held_up* all, int* last, int i) {
  if (i < *last) store(&all->went_back, 1);
  *last = i;
  if (i != all->held) {
    add_one(&all->others);
    return;
  }
  while (load(&all->others) < turns - 1) {
#pragma omp taskyield
  }
}

/* True if a thread got an earlier chunk after a later one. */
static int one_is_held_up(int members, int held) {
  struct held_up all = {held, 0, 0};
#pragma omp parallel num_threads(members)
  {
    int last = -1;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < turns; i++) held_up_turn(&all, &last, i);
  }
  return all.went_back;
}

static int one_is_held_up_by_runtime(int members, int held) {
  struct held_up all = {held, 0, 0};
#pragma omp parallel num_threads(members)
  {
    int last = -1;
#pragma omp for schedule(runtime)
    for (int i = 0; i < turns; i++) held_up_turn(&all, &last, i);
  }
  return all.went_back;
}

int main(int argc, char** argv) {
  /* Who is not held up must take what stands before its own part, at last. */
  const char* any = argc > 1 ? argv[1] : "";
  if (strcmp(any, "any") == 0) {
    expect_equal("a thread goes back", one_is_held_up(2, 0), 1);
    return expect_result();
  }
  if (strcmp(any, "any_by_runtime") == 0) {
    expect_equal("a thread goes back", one_is_held_up(2, 0), 0);
    expect_equal("a thread goes back, runtime", one_is_held_up_by_runtime(2, 0), 1);
    omp_set_schedule(omp_sched_dynamic, 1);
    expect_equal("a thread goes back, set", one_is_held_up_by_runtime(2, 0), 0);
    return expect_result();
  }
  /* libomp's schedule(runtime) is static if nobody says otherwise; and there an iteration that
   * waits for all others waits for its own thread. */
  omp_set_schedule(omp_sched_dynamic, 1);
  static const int sizes[] = {2, 4, 16};
  for (int s = 0; s < 3; s++) {
    const int members = sizes[s];
    plain(members);
    for (int chunk = 1; chunk <= 20; chunk += 6) in_chunks(members, chunk);
    combined(members);
    by_runtime(members);
    unsigned_ones(members);
    collapsed(members);
    chained(members);
    cancelled(members);
    for (int held = 0; held < turns; held += turns / 20) {
      expect_equal("a thread goes back", one_is_held_up(members, held), 0);
      expect_equal("a thread goes back, runtime", one_is_held_up_by_runtime(members, held), 0);
    }
  }
  return expect_result();
}
