/* Calls that block a thread, made by the members of one team: what one step costs all of them
 * together. The team lives as long as a batch; its own start is in the first step's share. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "measure.h"

enum { most_members = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn;

/* The turn goes round, and who has it not yields. */
static void yield_spin(long count) {
  turn = 0;
#pragma omp parallel
  {
    const long members = omp_get_num_threads(), me = omp_get_thread_num();
    for (long i = 0; i < count; i++) {
      while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != i * members + me) sched_yield();
      __atomic_add_fetch(&turn, 1, __ATOMIC_RELEASE);
    }
  }
}

/* The same by taskyield. */
static void taskyield_spin(long count) {
  turn = 0;
#pragma omp parallel
  {
    const long members = omp_get_num_threads(), me = omp_get_thread_num();
    for (long i = 0; i < count; i++) {
      while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != i * members + me) {
#pragma omp taskyield
      }
      __atomic_add_fetch(&turn, 1, __ATOMIC_RELEASE);
    }
  }
}

static void pthread_barrier(long count) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)omp_get_max_threads());
#pragma omp parallel
  for (long i = 0; i < count; i++) pthread_barrier_wait(&barrier);
  pthread_barrier_destroy(&barrier);
}

/* The turn goes round by a condition that all wait for. */
static void condition(long count) {
  turn = 0;
#pragma omp parallel
  {
    const long members = omp_get_num_threads(), me = omp_get_thread_num();
    for (long i = 0; i < count; i++) {
      pthread_mutex_lock(&mutex);
      while (turn != i * members + me) pthread_cond_wait(&changed, &mutex);
      turn++;
      pthread_cond_broadcast(&changed);
      pthread_mutex_unlock(&mutex);
    }
  }
}

/* The turn goes round by a semaphore for each. */
static void semaphore(long count) {
  static sem_t of[most_members];
  const int members = omp_get_max_threads();
  for (int i = 0; i < members; i++) sem_init(&of[i], 0, i == 0);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (long i = 0; i < count; i++) {
      sem_wait(&of[me]);
      sem_post(&of[(me + 1) % members]);
    }
  }
  for (int i = 0; i < members; i++) sem_destroy(&of[i]);
}

/* All count under one mutex. */
static void contended_mutex(long count) {
  turn = 0;
#pragma omp parallel
  for (long i = 0; i < count; i++) {
    pthread_mutex_lock(&mutex);
    turn++;
    pthread_mutex_unlock(&mutex);
  }
}

static const bench_case cases[] = {{"yield_spin", yield_spin, 20},
                                   {"taskyield_spin", taskyield_spin, 20},
                                   {"pthread_barrier", pthread_barrier, 20},
                                   {"condition", condition, 20},
                                   {"semaphore", semaphore, 20},
                                   {"contended_mutex", contended_mutex, 20},
                                   {NULL, NULL, 0}};

int main(int argc, char** argv) { return bench_main(cases, argc, argv); }
