/* Loops whose iterations have owners: XYLEM_SCHEDULE. The environment says how; the argument says
 * what is expected: block, cyclic (chunks of one), auto-block, auto-cyclic, or once: each iteration
 * runs once, whoever runs it. Compiled by Clang with -DSTATIC the loops are plain static ones.
 *
 * Clang's code numbers a loop's iterations from 0, and does not say where it begins. There the runs
 * of a loop are taken to end alike, or, under `begin`, to begin alike. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

#ifdef STATIC
#define SCHEDULE schedule(static)
#else
#define SCHEDULE schedule(runtime)
#endif

enum { n = 240, members = 4, none = -1 };

static int owner[n], times[n];

static void forget(void) {
  for (int i = 0; i < n; i++) owner[i] = none;
}

static void ran(int i) {
  add_one(&times[i]);
  __atomic_store_n(&owner[i], omp_get_thread_num(),
                   __ATOMIC_RELAXED); /* several teams do at once */
}

static void expect_times(int first, int behind, int wanted) {
  for (int i = first; i < behind; i++) expect_equal("times an iteration ran", times[i], wanted);
  memset(times, 0, sizeof times);
}

/* The loop of a region, and the region that is a loop. */
static void inner(int first, int behind) {
#pragma omp for SCHEDULE
  for (int j = first; j < behind; j++) ran(j);
}

static void combined(int first, int behind) {
#pragma omp parallel for SCHEDULE num_threads(members)
  for (int j = first; j < behind; j++) ran(j);
}

static void down(int first, int above) {
#pragma omp parallel for SCHEDULE num_threads(members)
  for (long j = first; j > above; j--) ran((int)j);
}

static void far_apart(unsigned long long first, unsigned long long behind) {
#pragma omp parallel for SCHEDULE num_threads(members)
  for (unsigned long long j = first; j < behind; j += 7) ran((int)(j / 7));
}

#ifdef __clang__
static const int bounds_are_told = 0;
#else
static const int bounds_are_told = 1;
#endif

static void expect_owners(const char* what, const int* before, int first, int behind) {
  for (int i = first; i < behind; i++) expect_equal(what, owner[i], before[i]);
}

/* As the paper's LU: the loop of each step is shorter than the one before. */
static void shorter(int kind_is_cyclic, int checks) {
  int before[n];
  combined(0, n);
  expect_times(0, n, 1);
  memcpy(before, owner, sizeof before);
  if (checks && kind_is_cyclic)
    for (int i = 0; i < n; i++) expect_equal("owner in turn", owner[i], i % members);
  if (checks && !kind_is_cyclic)
    for (int i = 0; i < n; i++) expect_equal("owner of a block", owner[i], i * members / n);
  for (int k = 1; k < n; k += 9) {
    forget();
    combined(k, n);
    expect_times(k, n, 1);
    if (checks) expect_owners("owner in a shorter loop", before, k, n);
    combined(k / 2, n - k / 2);
    expect_times(k / 2, n - k / 2, 1);
    if (checks && bounds_are_told)
      expect_owners("owner in a loop that is cut at both ends", before, k / 2, n - k / 2);
  }
}

static void other_ways(int checks) {
  int before[n];
  down(n - 1, -1);
  expect_times(0, n, 1);
  memcpy(before, owner, sizeof before);
  down(n / 2, 7);
  expect_times(8, n / 2 + 1, 1);
  if (checks && bounds_are_told)
    expect_owners("owner in a loop that goes down", before, 8, n / 2 + 1);
  far_apart(0, 7 * n);
  expect_times(0, n, 1);
  memcpy(before, owner, sizeof before);
  far_apart(7 * 50, 7 * 200);
  expect_times(50, 200, 1);
  if (checks && bounds_are_told) expect_owners("owner in a loop of steps", before, 50, 200);
}

/* Loops that begin alike: a triangle's rows. */
static void begins_alike(void) {
  int before[n];
  combined(0, n);
  memcpy(before, owner, sizeof before);
  for (int k = 7; k < n; k += 9) {
    combined(0, k);
    expect_owners("owner in a loop that ends sooner", before, 0, k);
  }
  memset(times, 0, sizeof times);
}

/* Members run ahead of each other, through loops that begin later and later. */
static void no_waiting(void) {
#pragma omp parallel num_threads(members)
  for (int k = 0; k < n; k++) {
#pragma omp for SCHEDULE nowait
    for (int j = k; j < n; j++) add_one(&times[j]);
  }
  for (int i = 0; i < n; i++) expect_equal("times without waiting", times[i], i + 1);
  memset(times, 0, sizeof times);
}

/* A loop that gets longer: its blocks are divided anew. */
static void longer(void) {
#pragma omp parallel num_threads(members)
  for (int k = 0; k < n; k += 11) inner(n / 2 - k / 3, n / 2 + k / 3);
  for (int i = 0; i < n; i++) {
    int wanted = 0;
    for (int k = 0; k < n; k += 11) wanted += n / 2 - k / 3 <= i && i < n / 2 + k / 3;
    expect_equal("times in a loop that grows", times[i], wanted);
  }
  memset(times, 0, sizeof times);
}

static void last_value(void) {
  int last = 0;
#pragma omp parallel for SCHEDULE lastprivate(last) num_threads(members)
  for (int j = 5; j < n - 3; j++) last = j;
  expect_equal("lastprivate", last, n - 4);
}

static void nested_teams(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(2)
  for (int k = 0; k < 20; k++) inner(k, n - k);
  for (int i = 20; i < n - 20; i++) expect_equal("times in three teams", times[i], 60);
  memset(times, 0, sizeof times);
}

/* Only the first quarter has work: in blocks one member has all of it. */
static void triangle(int runs) {
  for (int run = 0; run < runs; run++) {
#pragma omp parallel for SCHEDULE num_threads(members)
    for (int j = 0; j < 64; j++) {
      owner[j] = omp_get_thread_num();
      if (j < 16) usleep(2000);
    }
  }
}

/* Who did not run the iteration before has to fetch something. */
static void neighbours(int runs) {
  for (int run = 0; run < runs; run++) {
    int begun[members] = {0}, last[members] = {0};
#pragma omp parallel for SCHEDULE num_threads(members)
    for (int j = 0; j < 64; j++) {
      const int me = owner[j] = omp_get_thread_num();
      if (!begun[me] || last[me] != j - 1) usleep(2000);
      begun[me] = 1;
      last[me] = j;
    }
  }
}

static void chosen(const char* wanted) {
  if (!strcmp(wanted, "auto-cyclic")) {
    triangle(30);
    for (int i = 0; i < 64; i++) expect_equal("owner in turn, by its times", owner[i], i % members);
  } else {
    neighbours(30);
    for (int i = 0; i < 64; i++)
      expect_equal("owner of a block, by its times", owner[i], i * members / 64);
  }
}

int main(int count, char** arguments) {
  const char* wanted = count > 1 ? arguments[1] : "once";
  if (!strncmp(wanted, "auto-", 5)) {
    chosen(wanted);
    return expect_result();
  }
  if (!strcmp(wanted, "begin")) {
    begins_alike();
    return expect_result();
  }
  const int checks = strcmp(wanted, "once") != 0;
  shorter(!strcmp(wanted, "cyclic"), checks);
  other_ways(checks);
  no_waiting();
  longer();
  last_value();
  nested_teams();
  return expect_result();
}
