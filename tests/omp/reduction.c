/* The reduction clause: every operator, several variables, arrays and array sections, on parallel,
 * for, sections and nested teams, for teams of many sizes. */
#include <limits.h>
#include <omp.h>
#include <string.h>

#include "expect.h"

static void operators(int members) {
  int sum = 5, difference = 100, product = 1, all = -1, any = 0, odd = 0;
  int both = 1, either = 0, least = INT_MAX, most = INT_MIN;
#pragma omp parallel for num_threads(members) reduction(+ : sum) reduction(- : difference) \
    reduction(* : product) reduction(& : all) reduction(| : any) reduction(^ : odd)       \
    reduction(&& : both) reduction(|| : either) reduction(min : least) reduction(max : most)
  for (int i = 1; i <= 1000; i++) {
    sum += i;
    difference -= i;
    if (i % 200 == 0) product *= 3;
    all &= ~(1 << (i % 8));
    any |= 1 << (i % 8);
    odd ^= i;
    both = both && i != 500;
    either = either || i == 500;
    least = least < i - 3 ? least : i - 3;
    most = most > i * 2 ? most : i * 2;
  }
  expect_equal("+", sum, 5 + 500500);
  expect_equal("-", difference, 100 - 500500);
  expect_equal("*", product, 243);
  expect_equal("&", all, ~255);
  expect_equal("|", any, 255);
  expect_equal("^", odd, 1000);
  expect_equal("&&", both, 0);
  expect_equal("||", either, 1);
  expect_equal("min", least, -2);
  expect_equal("max", most, 2000);
}

static void on_parallel(int members) {
  long sum = 0;
  double product = 1;
#pragma omp parallel num_threads(members) reduction(+ : sum) reduction(* : product)
  {
    sum += omp_get_thread_num();
    product *= 2;
  }
  expect_equal("+ on parallel", sum, (long)members * (members - 1) / 2);
  double expected = 1;
  for (int i = 0; i < members; i++) expected *= 2;
  expect_near("* on parallel", product, expected, 0);
}

static void arrays(int members) {
  long whole[10];
  memset(whole, 0, sizeof whole);
  int* section = calloc(40, sizeof(int));
#pragma omp parallel num_threads(members)
  {
#pragma omp for reduction(+ : whole) schedule(dynamic, 5) nowait
    for (int i = 0; i < 1000; i++) whole[i % 10] += i;
#pragma omp for reduction(+ : section [10:20]) schedule(guided)
    for (int i = 0; i < 1000; i++) section[10 + i % 20]++;
  }
  for (int i = 0; i < 10; i++) expect_equal("array", whole[i], 100L * i + 49500);
  for (int i = 0; i < 40; i++) {
    expect_equal("array section", section[i], i >= 10 && i < 30 ? 50 : 0);
  }
  free(section);
}

static void nowait_reductions(int members) {
  int first = 0, second = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 50; turn++) {
#pragma omp for reduction(+ : first) nowait
    for (int i = 0; i < 20; i++) first++;
#pragma omp for reduction(+ : second) schedule(dynamic)
    for (int i = 0; i < 20; i++) second++;
#pragma omp barrier
  }
  expect_equal("nowait reduction", first, 1000);
  expect_equal("reduction after it", second, 1000);
}

static void nested(void) {
  omp_set_max_active_levels(3);
  long sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  {
    long inner = 0;
#pragma omp parallel for num_threads(3) reduction(+ : inner)
    for (int i = 0; i < 100; i++) inner += i;
    sum += inner;
  }
  expect_equal("nested reduction", sum, 4 * 4950);
}

int main(void) {
  for (int members = 1; members <= 16; members += 3) {
    operators(members);
    on_parallel(members);
    arrays(members);
    nowait_reductions(members);
  }
  operators(omp_get_max_threads());
  nested();
  return expect_result();
}
