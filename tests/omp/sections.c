/* The sections construct: each section once, whatever the team size; lastprivate, reduction,
 * nowait; parallel sections; sections that depend on each other through flags. */
#include <omp.h>

#include "expect.h"

static void each_once(int members) {
  int ran[6] = {0};
  int last = -1;
  int sum = 0;
#pragma omp parallel num_threads(members)
  {
#pragma omp sections lastprivate(last) reduction(+ : sum)
    {
#pragma omp section
      {
        add_one(&ran[0]);
        last = 0;
        sum += 1;
      }
#pragma omp section
      {
        add_one(&ran[1]);
        last = 1;
        sum += 2;
      }
#pragma omp section
      {
        add_one(&ran[2]);
        last = 2;
        sum += 4;
      }
#pragma omp section
      {
        add_one(&ran[3]);
        last = 3;
        sum += 8;
      }
#pragma omp section
      {
        add_one(&ran[4]);
        last = 4;
        sum += 16;
      }
#pragma omp section
      {
        add_one(&ran[5]);
        last = 5;
        sum += 32;
      }
    }
    expect_equal("lastprivate after sections", last, 5);
    expect_equal("reduction after sections", sum, 63);
  }
  for (int i = 0; i < 6; i++) expect_equal("times a section ran", ran[i], 1);
}

static void many_nowait(int members) {
  int first = 0;
  int second = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 500; turn++) {
#pragma omp sections nowait
    {
      add_one(&first);
#pragma omp section
      add_one(&second);
    }
  }
  expect_equal("first sections", first, 500);
  expect_equal("second sections", second, 500);
}

static void combined(void) {
  int sum = 0;
#pragma omp parallel sections num_threads(3) reduction(+ : sum)
  {
    sum += 1;
#pragma omp section
    sum += 10;
#pragma omp section
    sum += 100;
#pragma omp section
    sum += 1000;
  }
  expect_equal("parallel sections", sum, 1111);
}

static void rendezvous(void) {
  int left = 0;
  int right = 0;
  int met = 0;
#pragma omp parallel sections num_threads(2)
  {
    {
      store(&left, 1);
      while (!load(&right)) {
#pragma omp taskyield
      }
      add_one(&met);
    }
#pragma omp section
    {
      store(&right, 1);
      while (!load(&left)) {
#pragma omp taskyield
      }
      add_one(&met);
    }
  }
  expect_equal("sections that met", met, 2);
}

int main(void) {
  for (int members = 1; members <= 16; members += 3) {
    for (int turn = 0; turn < 50; turn++) each_once(members);
    many_nowait(members);
  }
  combined();
  rendezvous();
  return expect_result();
}
