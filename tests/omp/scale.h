/* What the programs of scale share: the limit on resident memory. */
#pragma once

#include <sys/resource.h>

#include "expect.h"

enum { most_gibibytes = 20 };

/* Prints the process's peak of resident memory and checks it against the limit. */
static inline void check_peak_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("peak resident memory: %.0f MiB\n", usage.ru_maxrss / 1024.0);
  expect_between("peak resident MiB", usage.ru_maxrss / 1024, 0, most_gibibytes * 1024);
}
