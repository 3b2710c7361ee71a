/* Idle costs nothing: in the second that starts half a second after a region the whole process uses
 * under 1% of a processor; again after nested teams, tasks and a region from another thread. */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

static double processor_seconds(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static void idle_second(const char* after) {
  usleep(500000);
  double from = processor_seconds();
  usleep(1000000);
  double used = processor_seconds() - from;
  printf("after %s: %.3f%% of a processor\n", after, 100 * used);
  expect_between("microseconds of processor time in an idle second", (long long)(1e6 * used), 0,
                 9999);
}

static void plain_region(int members) {
#pragma omp parallel num_threads(members)
  {
#pragma omp barrier
  }
}

static void nested_and_tasks(void) {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(4)
  {
#pragma omp parallel num_threads(4)
    {
#pragma omp barrier
    }
#pragma omp single
    for (int i = 0; i < 1000; i++) {
#pragma omp task
      usleep(1);
    }
  }
}

static void* from_thread(void* unused) {
  plain_region(8);
  return unused;
}

int main(void) {
  plain_region(omp_get_max_threads());
  idle_second("a region");
  plain_region(16);
  idle_second("a region of 16");
  nested_and_tasks();
  idle_second("nested teams and tasks");
  pthread_t thread;
  pthread_create(&thread, NULL, from_thread, NULL);
  pthread_join(thread, NULL);
  idle_second("a region from a thread that has gone");
  return expect_result();
}
