/* Dynamic loops that begin where their data is: XYLEM_SCHEDULE with XYLEM_SCHEDULE_DYNAMIC. The
 * argument says what is expected of four threads: block, cyclic (chunks of one), or once: each
 * iteration runs once, whoever runs it. With `near`, of sixteen: most iterations are at home, and
 * of those that are not more than a third are on the owner's memory node, each of which has four.
 *
 * Clang's code numbers a loop's iterations from 0, and does not say where it begins: its loops are
 * taken to end alike. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

enum { n = 240, members = 4, nobody = -1 };

static int owner[n], times[n], first_of[members];
static int begun; /* members that have an iteration */
static int
    all_begin; /* nobody goes on from its first before all have one: nobody takes another's */

static void ran(int i) {
  const int me = omp_get_thread_num();
  add_one(&times[i]);
  store(&owner[i], me);
  if (first_of[me] != nobody) return;
  first_of[me] = i;
  add_one(&begun);
  while (all_begin && load(&begun) < members) usleep(20);
}

static void begin_run(void) {
  begun = 0;
  for (int m = 0; m < members; m++) first_of[m] = nobody;
}

static void expect_times(int first, int behind) {
  for (int i = 0; i < n; i++)
    expect_equal("times an iteration ran", times[i], i >= first && i < behind);
  memset(times, 0, sizeof times);
}

static void up(int first, int behind) {
  begin_run();
#pragma omp parallel for schedule(dynamic) num_threads(members)
  for (int i = first; i < behind; i++) ran(i);
  expect_times(first, behind);
}

static void down(int first, int behind) {
  begin_run();
#pragma omp parallel num_threads(members)
#pragma omp for schedule(dynamic)
  for (long i = behind - 1; i >= first; i--) ran((int)i);
  expect_times(first, behind);
}

static void wide(int first, int behind) {
  const unsigned long long far = 1ull << 62;
  begin_run();
#pragma omp parallel num_threads(members)
#pragma omp for schedule(dynamic) nowait
  for (unsigned long long i = far + 7ull * (unsigned)first; i < far + 7ull * (unsigned)behind;
       i += 7)
    ran((int)((i - far) / 7));
  expect_times(first, behind);
}

/* Whose iterations those of a loop over all of the array are. */
static int owner_of(int is_cyclic, int i) { return is_cyclic ? i % members : i * members / n; }

static int first_owned(int is_cyclic, int member, int first, int behind) {
  for (int i = first; i < behind; i++)
    if (owner_of(is_cyclic, i) == member) return i;
  return nobody;
}

static int last_owned(int is_cyclic, int member, int first, int behind) {
  for (int i = behind - 1; i >= first; i--)
    if (owner_of(is_cyclic, i) == member) return i;
  return nobody;
}

/* The first iteration of each member is its own, in loops that begin later, too. */
static void begins_at_home(int is_cyclic) {
  all_begin = 1;
  for (int first = 0; first < n / members; first += 7) {
    up(first, n);
    for (int m = 0; m < members; m++)
      expect_equal("first iteration", first_of[m], first_owned(is_cyclic, m, first, n));
  }
#ifndef __clang__
  for (int cut = 0; cut < n / members; cut += 13) {
    down(cut, n - cut);
    for (int m = 0; m < members; m++)
      expect_equal("first iteration of a loop that goes down", first_of[m],
                   last_owned(is_cyclic, m, cut, n - cut));
  }
#endif
  all_begin = 0;
}

static void each_once(void) {
  for (int first = 0; first < n - members; first += 9) {
    up(first, n);
    up(first / 2, n - first / 3);
    down(first, n - 1);
    wide(first, n);
  }
}

static void one_is_held_up(void) {
  int others = 0;
#pragma omp parallel for schedule(dynamic, 3) num_threads(members)
  for (int i = 0; i < n; i++) {
    add_one(&times[i]);
    if (i != 0) add_one(&others);
    while (i == 0 && load(&others) < n - 3) usleep(20);
  }
  expect_times(0, n);
}

static void last_value(void) {
  for (int round = 0; round < 200; round++) {
    int last = 0;
#pragma omp parallel for schedule(dynamic) num_threads(members) lastprivate(last)
    for (int i = 5; i < n - 3; i++) last = i;
    expect_equal("lastprivate", last, n - 4);
  }
}

static void stays_monotonic(void) {
#pragma omp parallel num_threads(members)
  {
    int last = -1;
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < n; i++) {
      expect_equal("iterations ascend", i > last, 1);
      last = i;
    }
  }
}

enum { pieces = 512, threads = 16, a_node = 4, runs = 20 };

/* Pieces take a tenth to a whole millisecond, others in each run. */
static void near(void) {
  int home = 0, same_node = 0, all = 0; /* iterations, of all runs */
  unsigned seed = 1;
  for (int run = 0; run < runs; run++) {
    static int owner_now[pieces], cost[pieces];
    for (int i = 0; i < pieces; i++) cost[i] = 100 + (seed = seed * 1664525 + 1013904223) % 900;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < pieces; i++) {
      owner_now[i] = omp_get_thread_num();
      usleep((unsigned)cost[i]);
    }
    for (int i = 0; i < pieces; i++, all++) {
      const int own = i * threads / pieces;
      home += owner_now[i] == own;
      same_node += owner_now[i] != own && owner_now[i] / a_node == own / a_node;
    }
  }
  printf("of %d iterations %d at home, %d elsewhere on the owner's node\n", all, home, same_node);
  expect_equal("most iterations are at home", home > all / 2, 1);
  /* Without an order it would be a fifth: three of fifteen others. */
  expect_equal("others are on the owner's node", same_node > (all - home) / 3, 1);
}

int main(int count, char** arguments) {
  const char* wanted = count > 1 ? arguments[1] : "once";
  if (!strcmp(wanted, "near")) {
    near();
    return expect_result();
  }
  if (strcmp(wanted, "once") != 0) begins_at_home(!strcmp(wanted, "cyclic"));
  each_once();
  one_is_held_up();
  last_value();
  stays_monotonic();
  return expect_result();
}
