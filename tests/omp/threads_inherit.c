/* Priority-inheriting mutexes, contended: the kernel itself knows the owner by its thread id. Held
 * over switches, twice, refused to others, and waited for in a condition variable. */
#include <errno.h>
#include <pthread.h>

#include "threads_inside.h"

enum { turns = 30 };

static int make(pthread_mutex_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  if (pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) != 0) return 0;
  return pthread_mutex_init(mutex, &attributes) == 0;
}

static void hold(int type) {
  pthread_mutex_t mutex;
  if (!make(&mutex, type)) exit(77);
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    expect_equal("lock", pthread_mutex_lock(&mutex), 0);
    if (type == PTHREAD_MUTEX_RECURSIVE) expect_equal("again", pthread_mutex_lock(&mutex), 0);
    if (type == PTHREAD_MUTEX_ERRORCHECK)
      expect_equal("a second time", pthread_mutex_lock(&mutex), EDEADLK);
    alone_inside("holders of a priority-inheriting mutex");
    if (type == PTHREAD_MUTEX_RECURSIVE) expect_equal("unlock", pthread_mutex_unlock(&mutex), 0);
    expect_equal("unlock", pthread_mutex_unlock(&mutex), 0);
  }
  pthread_mutex_destroy(&mutex);
}

/* The owner computes for a while, so that the others sleep in the kernel. */
static void contended(void) {
  pthread_mutex_t mutex;
  make(&mutex, PTHREAD_MUTEX_NORMAL);
  volatile double sum = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    pthread_mutex_lock(&mutex);
    expect_equal("holders that compute", add_one(&holders), 1);
    for (int i = 0; i < 100000; i++) sum += i;
    store(&holders, 0);
    pthread_mutex_unlock(&mutex);
  }
}

static void handed_down(void) {
  pthread_mutex_t mutex;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  make(&mutex, PTHREAD_MUTEX_NORMAL);
  int turn = 0;
#pragma omp parallel num_threads(members)
  for (int round = 0; round < turns; round++) {
    pthread_mutex_lock(&mutex);
    while (turn % members != omp_get_thread_num()) pthread_cond_wait(&changed, &mutex);
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  expect_equal("turns", turn, turns * members);
}

int main(void) {
  begin_threads();
  hold(PTHREAD_MUTEX_NORMAL);
  hold(PTHREAD_MUTEX_RECURSIVE);
  hold(PTHREAD_MUTEX_ERRORCHECK);
  contended();
  handed_down();
  return expect_result();
}
