/* What the OpenMP test programs share: checks that record a failure and print one clear line.
 * Invariant: a program returns expect_result() from main, so it exits 0 only if every check held.
 * Checks may be called from any thread of any team.
 *
 * Nothing here has thread-local data, so a C program that includes it keeps the tier of
 * thread-local storage that its own code asks for. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { expect_lines_at_most = 10 };

/* GCC lets every thread write a lastprivate variable where the loop has no iteration (its value is
 * unspecified then): the program's own race, so that is not run under the thread sanitizer. */
#ifdef __SANITIZE_THREAD__
enum { expect_empty_lastprivate = 0 };
#else
enum { expect_empty_lastprivate = 1 };
#endif

/* Failures so far; every thread adds to it, main reads it after the last region. */
static int expect_failures;

/* Counts a failure and says whether its line is still worth printing. */
static inline int expect_failed(void) {
  return __atomic_add_fetch(&expect_failures, 1, __ATOMIC_RELAXED) <= expect_lines_at_most;
}

static inline void expect_equal(const char* what, long long seen, long long expected) {
  if (seen != expected && expect_failed()) {
    fprintf(stderr, "FAIL: %s: expected %lld, seen %lld\n", what, expected, seen);
  }
}

static inline void expect_between(const char* what, long long seen, long long least,
                                  long long most) {
  if ((seen < least || seen > most) && expect_failed()) {
    fprintf(stderr, "FAIL: %s: expected %lld to %lld, seen %lld\n", what, least, most, seen);
  }
}

static inline void expect_true(const char* what, int held) {
  if (!held && expect_failed()) fprintf(stderr, "FAIL: %s: expected true, seen false\n", what);
}

static inline void expect_near(const char* what, double seen, double expected, double relative) {
  double most = relative * fmax(1.0, fabs(expected));
  if (!(fabs(seen - expected) <= most) && expect_failed()) {
    fprintf(stderr, "FAIL: %s: expected %.17g, seen %.17g\n", what, expected, seen);
  }
}

/* The program's exit code. */
static inline int expect_result(void) {
  int failures = __atomic_load_n(&expect_failures, __ATOMIC_RELAXED);
  if (failures > expect_lines_at_most) fprintf(stderr, "FAIL: %d checks in all\n", failures);
  return failures == 0 ? 0 : 1;
}

/* The members of a team by OMP_NUM_THREADS, and so many where that is not set. */
static inline int expect_members(int unless_told) {
  const char* told = getenv("OMP_NUM_THREADS");
  return told ? atoi(told) : unless_told;
}

/* Seconds on the monotonic clock. */
static inline double expect_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Atomic shorthands on plain integers: sequentially consistent, for C and C++ alike. */
static inline int add_one(int* counter) { return __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST); }
static inline int load(const int* value) { return __atomic_load_n(value, __ATOMIC_SEQ_CST); }
/* For loops that wait: whether the value is at least `wanted`, or just that. The load that acquires
 * comes last: under ThreadSanitizer it holds the variable's lock in libtsan for reading, and where
 * many threads spin on it whoever is to write may find no gap for minutes (docs/decisions.md). */
static inline int reached(const int* value, int wanted) {
  return __atomic_load_n(value, __ATOMIC_RELAXED) >= wanted && load(value) >= wanted;
}
static inline int became(const int* value, int wanted) {
  return __atomic_load_n(value, __ATOMIC_RELAXED) == wanted && load(value) == wanted;
}
static inline void store(int* value, int to) { __atomic_store_n(value, to, __ATOMIC_SEQ_CST); }
