/* Locks that know their owner, held across a switch: flockfile, recursive and error-checking
 * mutexes must take each OpenMP thread for a different owner though they share a worker. */
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <pthread.h>

#include "expect.h"

enum { members = 8, turns = 20 };

static int inside;

static void yield_a_little(void) {
  for (int i = 0; i < 5; i++) {
#pragma omp taskyield
  }
}

static void alone_inside(const char* what) {
  expect_equal(what, add_one(&inside), 1);
  yield_a_little();
  expect_equal(what, load(&inside), 1);
  store(&inside, 0);
}

static void hold_mutex(int type, const char* what) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t mutex;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutex_init(&mutex, &attributes);
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    expect_equal("pthread_mutex_lock", pthread_mutex_lock(&mutex), 0);
    alone_inside(what);
    expect_equal("pthread_mutex_unlock", pthread_mutex_unlock(&mutex), 0);
  }
  pthread_mutex_destroy(&mutex);
}

static void hold_file(void) {
  FILE* file = tmpfile();
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    flockfile(file);
    alone_inside("holders of flockfile");
    funlockfile(file);
  }
  fclose(file);
}

int main(void) {
  hold_mutex(PTHREAD_MUTEX_NORMAL, "holders of a plain mutex");
  hold_mutex(PTHREAD_MUTEX_RECURSIVE, "holders of a recursive mutex");
  hold_mutex(PTHREAD_MUTEX_ERRORCHECK, "holders of an error-checking mutex");
  hold_file();
  return expect_result();
}
