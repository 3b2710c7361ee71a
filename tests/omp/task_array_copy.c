/* Tasks with firstprivate copies of arrays whose length is known at run time. Not in Clang 19. */
#include <omp.h>

#include "expect.h"

static void array_firstprivate(int length) {
  int ran = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 50; i++) {
    int values[length];
    for (int k = 0; k < length; k++) values[k] = i + k;
#pragma omp task firstprivate(values, i)
    {
      for (int k = 0; k < length; k++) expect_equal("variable-length copy", values[k], i + k);
      add_one(&ran);
    }
  }
  expect_equal("tasks with variable-length copies", ran, 50);
}

int main(void) {
  for (int turn = 0; turn < 5; turn++) {
    array_firstprivate(1);
    array_firstprivate(200);
  }
  return expect_result();
}
