/* A member makes a task and spins for it, without a scheduling point; who else is there waits at
 * the region's end. The first that can run the task does, however the waiters' kernel threads are
 * busy: with time slices of a minute nobody is freed of a spinning member in time. */
#include <omp.h>

#include "expect.h"

enum { regions = 1000 };

static void look_busy(unsigned turns) {
  for (volatile unsigned i = 0; i < turns; i++) {
  }
}

int main(void) {
  unsigned random = 12345;
  for (int region = 0; region < regions; region++) {
    const unsigned turns = (random = random * 1103515245u + 12345u) >> 18;
    int done = 0;
#pragma omp parallel num_threads(2) shared(done)
    {
      expect_equal("threads", omp_get_num_threads(), 2);
      if (omp_get_thread_num() == 1) {
        look_busy(turns); /* sometimes the other sleeps by then */
#pragma omp task shared(done)
        add_one(&done);
        while (!reached(&done, 1)) {
        }
      }
    }
    expect_equal("tasks done", done, 1);
  }
  return expect_result();
}
