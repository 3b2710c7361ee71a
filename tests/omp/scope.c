/* The scope construct (reduction, private, nowait), the loop construct and order(concurrent), and
 * the simd composites, which all go through the same worksharing doors. */
#include <omp.h>
#include <string.h>

#include "expect.h"

static void scopes(int members) {
  long sum = 0;
  int ran = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < 20; turn++) {
#pragma omp scope reduction(+ : sum)
    {
      sum += omp_get_thread_num() + 1;
      add_one(&ran);
    }
#pragma omp scope nowait
    add_one(&ran);
#pragma omp barrier
  }
  expect_equal("scope reduction", sum, 20L * members * (members + 1) / 2);
  expect_equal("scope bodies", ran, 40 * members);
}

static void loops(int members) {
  int ran[200];
  memset(ran, 0, sizeof ran);
#pragma omp parallel num_threads(members)
  {
#pragma omp loop
    for (int i = 0; i < 200; i++) ran[i]++;
#pragma omp for order(concurrent) schedule(static)
    for (int i = 0; i < 200; i++) ran[i]++;
#pragma omp for order(reproducible : concurrent)
    for (int i = 0; i < 200; i++) ran[i]++;
#pragma omp for simd schedule(simd : dynamic, 3)
    for (int i = 0; i < 200; i++) ran[i]++;
  }
#pragma omp parallel loop num_threads(members) collapse(2)
  for (int i = 0; i < 20; i++) {
    for (int j = 0; j < 10; j++) ran[i * 10 + j]++;
  }
  for (int i = 0; i < 200; i++) expect_equal("turns of the five loops", ran[i], 5);
}

static void simd_reduction(int members) {
  double sum = 0;
#pragma omp parallel for simd num_threads(members) reduction(+ : sum) schedule(guided)
  for (int i = 0; i < 1000; i++) sum += i;
  expect_near("simd reduction", sum, 499500, 0);
}

int main(void) {
  for (int members = 1; members <= 16; members += 5) {
    scopes(members);
    loops(members);
    simd_reduction(members);
  }
  return expect_result();
}
