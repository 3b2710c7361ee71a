/* reduction(task, ...) on scope, alone, in a region that has one too, and inside itself. Not in
 * Clang 19. */
#include <omp.h>

#include "expect.h"

enum { items = 200 };

static void task_scope(int members) {
  long sum = 0;
#pragma omp parallel num_threads(members)
#pragma omp scope reduction(task, + : sum)
  {
#pragma omp task in_reduction(+ : sum)
    sum += 5;
  }
  expect_equal("reduction(task) on scope", sum, 5L * members);
}

static void scope_in_a_region(int members) {
  long region = 0, scope = 0;
#pragma omp parallel num_threads(members) reduction(task, + : region) shared(scope)
  {
#pragma omp scope reduction(task, + : scope)
    {
#pragma omp task in_reduction(+ : scope, region)
      {
        scope += 100000;
        region += 1;
      }
    }
  }
  expect_equal("task reduction of a region", region, members);
  expect_equal("of a scope in it", scope, 100000L * members);
}

/* The members meet other constructs before the outer one ends. */
static void scopes_in_scopes(int members) {
  long outer = 1, inner = 2;
#pragma omp parallel num_threads(members)
#pragma omp scope reduction(task, + : outer)
  {
#pragma omp scope reduction(task, + : inner)
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < items; i++) inner++;
#pragma omp sections
      {
#pragma omp task in_reduction(+ : outer, inner)
        {
          outer += 10;
          inner += 100;
        }
#pragma omp section
        outer++;
      }
    }
#pragma omp task in_reduction(+ : outer)
    outer += 1000;
  }
  expect_equal("task reduction of an outer scope", outer, 1 + 10 + 1 + 1000L * members);
  expect_equal("task reduction of an inner scope", inner, 2 + items + 100);
}

int main(void) {
  for (int turn = 0; turn < 3; turn++) {
    for (int members = 1; members <= 16; members += 5) {
      task_scope(members);
      scope_in_a_region(members);
      scopes_in_scopes(members);
    }
  }
  return expect_result();
}
