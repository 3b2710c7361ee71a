/* Tasks that nobody waits for but a barrier, the end of the region, or a taskgroup further out:
 * they are complete there, however deep their makers, which have ended long since, stood. */
#include <omp.h>

#include "expect.h"

static int ran;

/* A tree in which no task waits for its children; some nodes are undeferred, some start groups. */
static void grow(int depth, int wide) {
  add_one(&ran);
  if (depth == 0) return;
  for (int i = 0; i < wide; i++) {
#pragma omp task if ((depth + i) % 3) firstprivate(depth)
    grow(depth - 1, wide);
  }
}

static int nodes(int depth, int wide) { return depth == 0 ? 1 : 1 + wide * nodes(depth - 1, wide); }

static void at_barriers(int threads) {
  for (int round = 0; round < 50; round++) {
    ran = 0;
#pragma omp parallel num_threads(threads)
    {
      const int n = omp_get_num_threads();
      grow(5, 2);
#pragma omp barrier
      expect_equal("left to a barrier", load(&ran), n * nodes(5, 2));
#pragma omp barrier
#pragma omp single nowait
      grow(3, 3);
#pragma omp barrier
      expect_equal("left by one to a barrier", load(&ran), n * nodes(5, 2) + nodes(3, 3));
#pragma omp barrier
      grow(4, 2);
    }
    expect_equal("left to the end of the region", ran,
                 threads * (nodes(5, 2) + nodes(4, 2)) + nodes(3, 3));
  }
}

static void at_a_taskgroup(int threads) {
  for (int round = 0; round < 50; round++) {
    ran = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
#pragma omp taskgroup
      {
#pragma omp task
        {
#pragma omp taskgroup
          grow(4, 2);
          grow(3, 2);
        }
        grow(4, 3);
      }
      expect_equal("left to a taskgroup", load(&ran), nodes(4, 2) + nodes(3, 2) + nodes(4, 3));
    }
  }
}

/* A taskwait is for children alone: one that leaves tasks behind does not keep it. */
static void not_at_a_taskwait(int threads) {
  for (int round = 0; round < 50; round++) {
    int children = 0;
    ran = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
      for (int i = 0; i < 20; i++) {
#pragma omp task shared(children)
        {
          grow(3, 2);
          add_one(&children);
        }
      }
#pragma omp taskwait
      expect_equal("children after a taskwait", load(&children), 20);
    }
    expect_equal("all, after the region", ran, 20 * nodes(3, 2));
  }
}

/* The task that was taken waits for two that need each other; one is run by the thread that waits
 * for the taken task, which nothing else keeps busy. */
static void who_waits_helps(void) {
  for (int round = 0; round < 20; round++) {
    int taken = 0, made = 0, met = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(taken, made, met)
      {
        store(&taken, 1);
        for (int i = 0; i < 2; i++) {
#pragma omp task shared(met)
          {
            add_one(&met);
            while (load(&met) < 2) {
            }
          }
        }
        store(&made, 1);
#pragma omp taskwait
      }
      while (!load(&taken)) { /* the other thread runs it */
      }
#pragma omp taskwait
    }
    expect_equal("tasks that met", met, 2);
    expect_equal("tasks that made them", made, 1);
  }
}

int main(void) {
  for (int threads = 1; threads <= 4; threads *= 2) {
    at_barriers(threads);
    at_a_taskgroup(threads);
    not_at_a_taskwait(threads);
  }
  who_waits_helps();
  return expect_result();
}
