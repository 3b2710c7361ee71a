/* The single construct: exactly one member runs each block, the others wait unless nowait, and
 * copyprivate gives every member the value (also of several variables and of an array). */
#include <omp.h>
#include <string.h>

#include "expect.h"

static void exactly_one(int members) {
  int ran = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 1; turn <= 300; turn++) {
#pragma omp single
    ran++;
    expect_equal("blocks run so far", load(&ran), turn);
#pragma omp barrier
  }
}

static void nowait_ones(int members) {
  int ran = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 1000; turn++) {
#pragma omp single nowait
    add_one(&ran);
  }
  expect_equal("nowait blocks run", ran, 1000);
}

static void copy_values(int members) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 200; turn++) {
    int value = -1;
    double other = -1;
    char text[16] = "";
#pragma omp single copyprivate(value, other, text)
    {
      value = turn;
      other = turn / 2.0;
      snprintf(text, sizeof text, "turn %d", turn);
    }
    char wanted[16];
    snprintf(wanted, sizeof wanted, "turn %d", turn);
    expect_equal("copyprivate int", value, turn);
    expect_near("copyprivate double", other, turn / 2.0, 0);
    expect_equal("copyprivate array", strcmp(text, wanted), 0);
  }
}

static void nested_copy(void) {
  omp_set_max_active_levels(4);
#pragma omp parallel num_threads(3)
  {
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(3)
    {
      int mine = -1;
#pragma omp single copyprivate(mine)
      mine = outer * 10;
      expect_equal("copyprivate in a nested team", mine, outer * 10);
    }
  }
}

static void orphaned(void) {
  int value = 0;
#pragma omp single copyprivate(value)
  value = 5;
  expect_equal("single outside a region", value, 5);
}

int main(void) {
  orphaned();
  for (int members = 1; members <= 16; members += 5) {
    exactly_one(members);
    nowait_ones(members);
    copy_values(members);
  }
  nested_copy();
  return expect_result();
}
