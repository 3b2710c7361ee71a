/* What programs for steady.sh share: telling how many turns were done. */
#ifndef XYLEM_TESTS_TURNS_H
#define XYLEM_TESTS_TURNS_H

#include <stdio.h>

#include "expect.h"

/* Under another name first, so that a reader never sees half a number. */
static void tell(const char* file, int turn) {
  char unready[256];
  snprintf(unready, sizeof unready, "%s.new", file);
  FILE* out = fopen(unready, "w");
  expect_true("the file of turns can be written", out != NULL);
  if (out == NULL) return;
  fprintf(out, "%d\n", turn);
  fclose(out);
  expect_equal("rename", rename(unready, file), 0);
}

#endif
