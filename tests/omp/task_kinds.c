/* Clauses of the task construct: if(0) is undeferred, final makes descendants included, mergeable,
 * untied, firstprivate copies, priority is accepted, and omp_in_final tells. */
#include <omp.h>
#include <pthread.h>

#include "expect.h"

static void undeferred(void) {
#pragma omp parallel num_threads(4)
  {
    int done = 0;
    int who = omp_get_thread_num();
#pragma omp task if (0) shared(done)
    {
      done = 1;
      expect_equal("who runs an undeferred task", omp_get_thread_num(), who);
    }
    expect_equal("an undeferred task is done at once", done, 1);
  }
}

static void inside_final(int depth, int* bodies) {
  int done = 0;
#pragma omp task shared(done)
  {
    expect_equal("omp_in_final below a final task", omp_in_final(), 1);
    add_one(bodies);
    if (depth > 0) inside_final(depth - 1, bodies);
    done = 1;
  }
  expect_equal("an included task is done at once", done, 1);
}

static void final_tasks(void) {
  int bodies = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    expect_equal("omp_in_final outside", omp_in_final(), 0);
    for (int i = 0; i < 20; i++) {
#pragma omp task final(i % 2)
      {
        expect_equal("omp_in_final", omp_in_final(), i % 2);
        if (i % 2) inside_final(4, &bodies);
      }
    }
  }
  expect_equal("bodies below final tasks", bodies, 50);
}

static void mergeable_tasks(void) {
  int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task mergeable firstprivate(i) if (i % 3)
#pragma omp atomic
    sum += i;
  }
  expect_equal("mergeable tasks", sum, 4950);
}

static void untied_tasks(void) {
  int ran = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp task untied
    {
      int inner = 0;
#pragma omp task shared(inner)
      inner = 1;
#pragma omp taskyield
#pragma omp taskwait
      expect_equal("inner task of an untied task", inner, 1);
      add_one(&ran);
    }
  }
  expect_equal("untied tasks", ran, 200);
}

typedef struct Big {
  long words[64];
} Big;

static void big_firstprivate(void) {
  int ran = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 100; i++) {
    Big big;
    for (int k = 0; k < 64; k++) big.words[k] = i * 64 + k;
#pragma omp task firstprivate(big, i)
    {
      for (int k = 0; k < 64; k++) expect_equal("firstprivate word", big.words[k], i * 64 + k);
      add_one(&ran);
    }
  }
  expect_equal("tasks with big copies", ran, 100);
}

/* Registered also with OMP_MAX_TASK_PRIORITY=10. A team of one makes the order plain: of the tasks
 * ready at the taskwait those of higher priority go first where priorities are in force. */
static void priorities(void) {
  int ran = 0;
  int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp task priority(i % 11) firstprivate(i)
    {
      add_one(&ran);
#pragma omp atomic
      sum += i;
    }
  }
  expect_equal("tasks with priorities", ran, 200);
  expect_equal("their sum", sum, 19900);
}

static void outlive_the_creator_frame(int i, int* sum) {
  int local = i;
#pragma omp task firstprivate(local)
#pragma omp atomic
  *sum += local;
}

static void deferred_past_return(void) {
  int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp for
  for (int i = 0; i < 1000; i++) outlive_the_creator_frame(i, &sum);
  expect_equal("tasks that outlive their creator's frame", sum, 499500);
}

int main(void) {
  for (int turn = 0; turn < 5; turn++) {
    undeferred();
    final_tasks();
    mergeable_tasks();
    untied_tasks();
    big_firstprivate();
    priorities();
    deferred_past_return();
  }
  return expect_result();
}
