/* A tool is told the end of each thread that it was told of, where regions were opened by threads
 * that have ended, and the thread that ends the process has none, or is none of OpenMP's: another
 * thread still has a region's kernel threads, and the process does not wait for those. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"
#include "ompt.h"

enum { openers = 2, threads_of_each = 4 };

static int begun, ended;
static void on_begin(int kind, ompt_data_t* thread) {
  (void)kind, (void)thread;
  __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
}
static void on_end(ompt_data_t* thread) {
  (void)thread;
  __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}

static int stay; /* threads that are still there when the process ends */
static double began;

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_thread_begin, (ompt_callback_t)on_begin);
  set(ompt_callback_thread_end, (ompt_callback_t)on_end);
  return 1;
}
static void finalize(ompt_data_t* tool) {
  (void)tool;
  expect_equal("threads that began", begun, (openers + stay) * threads_of_each);
  expect_between("threads that ended", ended, openers * threads_of_each, begun - stay);
  expect_true("the process waits for nobody that stays", omp_get_wtime() - began < 5);
  if (expect_result() != 0) _exit(1);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

static int met; /* members that are in a region, of all openers: nobody serves two */
static void* open_region(void* all) {
#pragma omp parallel num_threads(threads_of_each)
  {
    __atomic_fetch_add(&met, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&met, __ATOMIC_ACQUIRE) < *(int*)all) usleep(100);
  }
  return NULL;
}

static pthread_barrier_t opened;
static void* open_and_stay(void* all) {
  open_region(all);
  pthread_barrier_wait(&opened);
  for (;;) pause();
  return NULL;
}

int main(int argc, char** argv) {
  (void)argv;
  stay = argc > 1;
  int all = (openers + stay) * threads_of_each;
  pthread_t thread[openers + 1];
  pthread_barrier_init(&opened, NULL, 2);
  for (int i = 0; i < openers; i++) pthread_create(&thread[i], NULL, open_region, &all);
  if (stay) pthread_create(&thread[openers], NULL, open_and_stay, &all);
  for (int i = 0; i < openers; i++) pthread_join(thread[i], NULL);
  if (stay) pthread_barrier_wait(&opened);
  began = omp_get_wtime();
  return 0;
}
