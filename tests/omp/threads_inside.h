/* What the programs about locks that know their owner share: holders are counted inside. */
#pragma once

#include "threads_move.h"

/* Holders of the lock under test at this moment. */
static int holders;

/* The caller holds the lock: nobody else does, also after the caller gave way. */
static inline void alone_inside(const char* what) {
  expect_equal(what, add_one(&holders), 1);
  for (int i = 0; i < 5; i++) {
#pragma omp taskyield
  }
#pragma omp critical(threads_inside)
  {
#pragma omp taskyield
  } expect_equal(what, load(&holders), 1);
  store(&holders, 0);
}
