/* Waiting for each other in what POSIX and C11 give: conditions on both clocks, semaphores with and
 * without a name, barriers, and each with a time that passes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20 };

static struct timespec now_on(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now;
}

/* Whose turn it is goes round by a condition. */
static void conditions(clockid_t clock) {
  pthread_condattr_t attributes;
  pthread_cond_t changed;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int turn = 0;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, clock);
  pthread_cond_init(&changed, &attributes);
#pragma omp parallel num_threads(members)
  for (int round = 0; round < turns; round++) {
    struct timespec until = now_on(clock);
    until.tv_sec += 1000;
    pthread_mutex_lock(&mutex);
    while (turn % members != omp_get_thread_num()) {
      if (round % 2)
        pthread_cond_wait(&changed, &mutex);
      else
        expect_equal("timedwait", pthread_cond_timedwait(&changed, &mutex, &until), 0);
    }
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    move_alone();
  }
  expect_equal("turns by a condition", turn, turns * members);
#pragma omp parallel num_threads(members)
  {
    struct timespec soon = now_on(clock);
    pthread_mutex_lock(&mutex);
    int seen = pthread_cond_timedwait(&changed, &mutex, &soon);
    expect_equal("a condition nobody signals", seen, ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
  }
  pthread_cond_destroy(&changed);
}

static void conditions_of_c11(void) {
  mtx_t mutex;
  cnd_t changed;
  int turn = 0;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
#pragma omp parallel num_threads(members)
  for (int round = 0; round < turns; round++) {
    mtx_lock(&mutex);
    while (turn % members != omp_get_thread_num()) cnd_wait(&changed, &mutex);
    turn++;
    cnd_broadcast(&changed);
    mtx_unlock(&mutex);
  }
  expect_equal("turns by cnd_t", turn, turns * members);
  cnd_destroy(&changed);
  mtx_destroy(&mutex);
}

/* A ring: each waits for the one before. */
static void ring(sem_t* semaphore[most_members]) {
  int passed = 0;
#pragma omp parallel num_threads(members)
  for (int round = 0; round < turns; round++) {
    int me = omp_get_thread_num();
    while (sem_wait(semaphore[me]) != 0) {
    }
    passed++;
    move_alone();
    sem_post(semaphore[(me + 1) % members]);
  }
  expect_equal("passed through semaphores", passed, turns * members);
}

static void semaphores(void) {
  sem_t own[most_members];
  sem_t* semaphore[most_members];
  for (int i = 0; i < members; i++) {
    sem_init(&own[i], 0, i == 0);
    semaphore[i] = &own[i];
  }
  ring(semaphore);
#pragma omp parallel num_threads(members)
  {
    struct timespec soon = now_on(CLOCK_REALTIME);
    int me = omp_get_thread_num();
    sem_trywait(semaphore[me]);
    errno = 0;
    expect_equal("sem_timedwait", sem_timedwait(semaphore[me], &soon), -1);
    expect_equal("its errno", errno, ETIMEDOUT);
    errno = 0;
    expect_equal("sem_trywait", sem_trywait(semaphore[me]), -1);
    expect_equal("its errno", errno, EAGAIN);
  }
  for (int i = 0; i < members; i++) sem_destroy(&own[i]);
}

static void named_semaphores(void) {
  sem_t* semaphore[most_members];
  for (int i = 0; i < members; i++) {
    char name[64];
    snprintf(name, sizeof name, "/xylem-waits-%d-%d", (int)getpid(), i);
    semaphore[i] = sem_open(name, O_CREAT | O_EXCL, 0600, i == 0);
    if (semaphore[i] == SEM_FAILED) return; /* no /dev/shm here */
    sem_unlink(name);
  }
  ring(semaphore);
  for (int i = 0; i < members; i++) sem_close(semaphore[i]);
}

static void barriers(void) {
  pthread_barrier_t barrier;
  int arrived = 0, serial = 0;
  pthread_barrier_init(&barrier, NULL, members);
#pragma omp parallel num_threads(members)
  for (int turn = 1; turn <= turns; turn++) {
    add_one(&arrived);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) add_one(&serial);
    expect_equal("arrived at the barrier", load(&arrived), members * turn);
    pthread_barrier_wait(&barrier);
    move_alone();
  }
  expect_equal("serial threads", serial, turns);
  pthread_barrier_destroy(&barrier);
}

int main(void) {
  begin_threads();
  conditions(CLOCK_REALTIME);
  conditions(CLOCK_MONOTONIC);
  conditions_of_c11();
  semaphores();
  named_semaphores();
  barriers();
  return expect_result();
}
