/* What the threads_ programs share: what makes an OpenMP thread go on with another kernel thread,
 * where the runtime has threads of its own. All of it is plain OpenMP.
 * Invariant: every member of the innermost team calls meet_and_move() as often as every other. */
#pragma once

#include <omp.h>

#include "expect.h"

enum { most_members = 16, members_unless_told = 8 };

/* The members of each outermost team, by OMP_NUM_THREADS; set before the first region. */
static int members;

/* Every main calls this first. */
static inline void begin_threads(void) {
  members = expect_members(members_unless_told);
  if (members < 2 || members > most_members) exit(2);
  omp_set_max_active_levels(2);
}

/* Members go on in another order than they came, and none waits for another to call. */
static inline void move_alone(void) {
  for (int i = 0; i < 3; i++) {
#pragma omp taskyield
  }
#pragma omp critical(threads_move)
  {
#pragma omp taskyield
  }
}

/* As move_alone, with barriers and a nested team between them. */
static inline void meet_and_move(void) {
  int ran = 0;
#pragma omp barrier
  move_alone();
#pragma omp parallel num_threads(2) shared(ran)
  {
    add_one(&ran);
#pragma omp barrier
    move_alone();
  }
  expect_between("members of a nested team", ran, 1, 2);
#pragma omp barrier
}
