/* Every other kind of pthread mutex, and spin locks: normal, adaptive, error-checking, recursive,
 * timed, between processes, and with a ceiling of priority. Held over switches, by one at a time;
 * those who know their owner say so. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_inside.h"

enum { turns = 30 };

static void init(pthread_mutex_t* mutex, int type, int shared) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setpshared(&attributes, shared);
  expect_equal("pthread_mutex_init", pthread_mutex_init(mutex, &attributes), 0);
}

static void hold(int type, const char* what) {
  pthread_mutex_t mutex;
  init(&mutex, type, PTHREAD_PROCESS_PRIVATE);
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    expect_equal("pthread_mutex_lock", pthread_mutex_lock(&mutex), 0);
    alone_inside(what);
    expect_equal("pthread_mutex_unlock", pthread_mutex_unlock(&mutex), 0);
  }
  pthread_mutex_destroy(&mutex);
}

/* What each kind answers to its owner, and to another. */
static void answers(int type, int to_owner, int unlock_by_other) {
  pthread_mutex_t mutex;
  init(&mutex, type, PTHREAD_PROCESS_PRIVATE);
#pragma omp parallel num_threads(members)
  {
    int owner = omp_get_thread_num() == 0;
    if (owner) pthread_mutex_lock(&mutex);
    meet_and_move();
    if (owner) {
      int again = pthread_mutex_lock(&mutex);
      expect_equal("a second lock by the owner", again, to_owner);
      if (again == 0) pthread_mutex_unlock(&mutex);
    } else {
      expect_equal("trylock by another", pthread_mutex_trylock(&mutex), EBUSY);
      expect_equal("unlock by another", pthread_mutex_unlock(&mutex), unlock_by_other);
    }
    meet_and_move();
    if (owner) expect_equal("unlock by the owner", pthread_mutex_unlock(&mutex), 0);
  }
  pthread_mutex_destroy(&mutex);
}

static void timed(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#pragma omp parallel num_threads(members)
  {
    struct timespec soon;
    int owner = omp_get_thread_num() == 0;
    if (owner) pthread_mutex_lock(&mutex);
    meet_and_move();
    clock_gettime(CLOCK_REALTIME, &soon);
    if (!owner)
      expect_equal("pthread_mutex_timedlock", pthread_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
    meet_and_move();
    if (owner) pthread_mutex_unlock(&mutex);
  }
}

/* Ceilings need a right that few have, and a scheduling class: where some locks are refused, those
 * who got one are alone all the same. */
static void ceiling(void) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t mutex;
  pthread_mutexattr_init(&attributes);
  if (pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT) != 0) return;
  if (pthread_mutexattr_setprioceiling(&attributes, 1) != 0) return;
  if (pthread_mutex_init(&mutex, &attributes) != 0) return;
  int tried = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    int got = pthread_mutex_lock(&mutex);
    if (got == 0) {
      expect_equal("holders under a ceiling", add_one(&holders), 1);
      store(&holders, 0);
      expect_equal("pthread_mutex_unlock", pthread_mutex_unlock(&mutex), 0);
    }
    add_one(&tried);
    move_alone();
  }
  expect_equal("locks under a ceiling that returned", tried, members * turns);
}

static void between_processes(void) {
  struct {
    pthread_mutex_t mutex;
    int total;
  }* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  init(&shared->mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED);
  pid_t child = fork();
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    pthread_mutex_lock(&shared->mutex);
    int before = shared->total;
    move_alone();
    shared->total = before + 1;
    pthread_mutex_unlock(&shared->mutex);
  }
  if (child == 0) exit(expect_result());
  int status = -1;
  waitpid(child, &status, 0);
  expect_equal("the child's status", status, 0);
  expect_equal("counted by two processes", shared->total, 2 * members * turns);
}

static void spin_locks(void) {
  pthread_spinlock_t lock;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    pthread_spin_lock(&lock);
    expect_equal("holders of a spin lock", add_one(&holders), 1);
    store(&holders, 0);
    pthread_spin_unlock(&lock);
    move_alone();
  }
  pthread_spin_destroy(&lock);
}

int main(void) {
  begin_threads();
  between_processes();
  hold(PTHREAD_MUTEX_NORMAL, "holders of a normal mutex");
  hold(PTHREAD_MUTEX_ADAPTIVE_NP, "holders of an adaptive mutex");
  hold(PTHREAD_MUTEX_ERRORCHECK, "holders of an error-checking mutex");
  hold(PTHREAD_MUTEX_RECURSIVE, "holders of a recursive mutex");
  answers(PTHREAD_MUTEX_ERRORCHECK, EDEADLK, EPERM);
  answers(PTHREAD_MUTEX_RECURSIVE, 0, EPERM);
  timed();
  ceiling();
  spin_locks();
  return expect_result();
}
