/* Owns what programs with codelets check with. */
#ifndef TESTS_HETERO_CHECK_H
#define TESTS_HETERO_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <xylem/codelet.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* The same numbers everywhere. */
static inline unsigned next_random(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* The policy that the test's first word names, if there is one. */
static inline void choose_policy(int argc, char** argv) {
  if (argc > 1) CHECK(xylem_codelet_policy(argv[1]) == 0);
}

#endif
