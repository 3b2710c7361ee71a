/* target regions with no device run on the host: map clauses, target data, update, teams and
 * parallel inside, nowait with depend, and is_device_ptr. */
#include <omp.h>

#include "expect.h"

enum { length = 100 };

static void mapped(void) {
  int from[length], to[length];
  for (int i = 0; i < length; i++) from[i] = i;
#pragma omp target map(to : from) map(from : to)
  for (int i = 0; i < length; i++) to[i] = 2 * from[i];
  for (int i = 0; i < length; i++) expect_equal("target map", to[i], 2 * i);
}

static void parallel_inside(void) {
  long sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < 1000; i++) sum += i;
  expect_equal("target teams distribute parallel for", sum, 499500);
  int host = 0;
#pragma omp target map(from : host)
  host = omp_is_initial_device();
  expect_equal("a target region runs on the host", host, 1);
}

static void data_regions(void) {
  int values[length] = {0};
#pragma omp target data map(tofrom : values)
  {
#pragma omp target
    for (int i = 0; i < length; i++) values[i]++;
#pragma omp target update from(values)
    expect_equal("after target update", values[3], 1);
  }
#pragma omp target enter data map(to : values)
#pragma omp target exit data map(from : values)
  expect_equal("after exit data", values[length - 1], 1);
}

static void deferred(void) {
  int value = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp target nowait depend(inout : value) map(tofrom : value)
    value++;
#pragma omp task depend(inout : value)
    value++;
  }
  expect_equal("target nowait in a chain", value, 40);
}

int main(void) {
  for (int turn = 0; turn < 10; turn++) {
    mapped();
    parallel_inside();
    data_regions();
    deferred();
  }
  return expect_result();
}
