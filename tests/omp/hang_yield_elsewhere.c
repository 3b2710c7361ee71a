/* One member computes and never yields; the others wait in loops of taskyield until all have come.
 * Some of them stand in the queue of the one that computes, and the time slice is too long for the
 * monitor to help: those who yield must come by there, although they always find each other. */
#include <omp.h>

#include "expect.h"

enum { members = 8 };

static void meet(int computing) {
  int arrived = 0;
#pragma omp parallel num_threads(members)
  {
    add_one(&arrived);
    while (!reached(&arrived, members)) {
      if (omp_get_thread_num() != computing) {
#pragma omp taskyield
      }
    }
  }
  expect_equal("members that met", arrived, members);
}

int main(void) {
  for (int computing = 0; computing < members; computing++) meet(computing);
  return expect_result();
}
