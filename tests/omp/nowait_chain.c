/* Chains of many nowait constructs of mixed kinds in which one fast member gets far ahead of the
 * others: every iteration, section and single still runs exactly once. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

enum { constructs = 400, turns = 12 };

static int ran[constructs][turns];

static void one_construct(int c) {
  switch (c % 5) {
    case 0:
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < turns; i++) add_one(&ran[c][i]);
      break;
    case 1:
#pragma omp for schedule(guided, 2) nowait
      for (int i = 0; i < turns; i++) add_one(&ran[c][i]);
      break;
    case 2:
#pragma omp for schedule(static, 2) nowait
      for (int i = 0; i < turns; i++) add_one(&ran[c][i]);
      break;
    case 3:
#pragma omp single nowait
      for (int i = 0; i < turns; i++) add_one(&ran[c][i]);
      break;
    default:
#pragma omp sections nowait
    {
      for (int i = 0; i < turns / 2; i++) add_one(&ran[c][i]);
#pragma omp section
      for (int i = turns / 2; i < turns; i++) add_one(&ran[c][i]);
    }
  }
}

static void chain(int members, int late) {
  memset(ran, 0, sizeof ran);
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() < late) usleep(3000);
    for (int c = 0; c < constructs; c++) {
      one_construct(c);
      if (c % 97 == omp_get_thread_num()) usleep(100);
    }
  }
  for (int c = 0; c < constructs; c++) {
    for (int i = 0; i < turns; i++) expect_equal("times an iteration ran", ran[c][i], 1);
  }
}

/* The fast one runs all of a chain alone: the others only come when it has finished. */
static void alone_to_the_end(int members) {
  memset(ran, 0, sizeof ran);
  int finished = 0;
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() != 1) {
      while (!load(&finished)) usleep(500);
    }
    for (int c = 0; c < constructs; c++) {
      if (c % 5 != 2) one_construct(c);
    }
    if (omp_get_thread_num() == 1) store(&finished, 1);
  }
  for (int c = 0; c < constructs; c++) {
    for (int i = 0; i < turns; i++) expect_equal("iterations run alone", ran[c][i], c % 5 != 2);
  }
}

/* Many short regions, some inside others, some combined with a loop: records are borrowed, given
 * back and used again. */
static int by_region[4];
static void short_regions(int members) {
  memset(by_region, 0, sizeof by_region);
  for (int region = 0; region < 300; region++) {
#pragma omp parallel for num_threads(members) schedule(dynamic, 1)
    for (int i = 0; i < turns; i++) {
#pragma omp atomic
      by_region[0]++;
#pragma omp parallel num_threads(2)
      {
#pragma omp for schedule(dynamic, 2) nowait
        for (int j = 0; j < 3; j++) {
#pragma omp atomic
          by_region[1]++;
        }
#pragma omp for ordered schedule(static, 1) nowait
        for (int j = 0; j < 3; j++) {
#pragma omp ordered
          {
#pragma omp atomic
            by_region[2]++;
          }
        }
#pragma omp sections
        {
#pragma omp section
#pragma omp atomic
          by_region[3]++;
        }
      }
    }
  }
  const int regions = 300 * turns;
  expect_equal("iterations of combined loops", by_region[0], regions);
  expect_equal("iterations of loops in short regions", by_region[1], 3 * regions);
  expect_equal("ordered iterations in short regions", by_region[2], 3 * regions);
  expect_equal("sections in short regions", by_region[3], regions);
}

int main(void) {
  omp_set_max_active_levels(2);
  short_regions(2);
  short_regions(5);
  for (int late = 0; late < 4; late++) {
    chain(2, late);
    chain(4, late);
    chain(16, late);
  }
  alone_to_the_end(2);
  alone_to_the_end(7);
  return expect_result();
}
