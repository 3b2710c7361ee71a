/* Cancellation: the state and type are each OpenMP thread's own; a thread that a member makes is
 * cancelled, runs its cleanup handlers and its keys' destructors, and is joined; pthread_exit in it
 * gives its result. What cancels an OpenMP thread itself is not for a program to do. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20 };

static int cleaned, destroyed;
static pthread_key_t key;

static void clean(void* counter) { add_one(counter); }
static void destroy(void* counter) { add_one(counter); }

static void* wait_for_ever(void* begun) {
  pthread_setspecific(key, &destroyed);
  pthread_cleanup_push(clean, &cleaned);
  sem_post(begun);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return NULL;
}

static void* leave(void* result) {
  pthread_setspecific(key, &destroyed);
  pthread_cleanup_push(clean, &cleaned);
  pthread_exit(result);
  pthread_cleanup_pop(0);
}

static void of_made_threads(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    pthread_t waits, leaves;
    void* result = NULL;
    sem_t begun;
    sem_init(&begun, 0, 0);
    pthread_create(&waits, NULL, wait_for_ever, &begun);
    pthread_create(&leaves, NULL, leave, &result);
    move_alone();
    sem_wait(&begun);
    expect_equal("pthread_cancel", pthread_cancel(waits), 0);
    pthread_join(waits, &result);
    expect_true("result of a cancelled thread", result == PTHREAD_CANCELED);
    pthread_join(leaves, &result);
    expect_true("result of pthread_exit", result == &result);
    sem_destroy(&begun);
  }
  expect_equal("cleanup handlers", cleaned, 2 * members * turns);
  expect_equal("destructors of keys", destroyed, 2 * members * turns);
}

/* The caller's state and type, set to what they are. */
static void expect_state(int state, int type) {
  int old = -1;
  pthread_setcancelstate(state, &old);
  expect_equal("own cancel state", old, state);
  pthread_setcanceltype(type, &old);
  expect_equal("own cancel type", old, type);
}

static void own_state(void) {
#pragma omp parallel num_threads(members)
  {
    int state = omp_get_thread_num() % 2 ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    int type = omp_get_thread_num() % 4 < 2 ? PTHREAD_CANCEL_DEFERRED : PTHREAD_CANCEL_ASYNCHRONOUS;
    pthread_setcancelstate(state, NULL);
    pthread_setcanceltype(type, NULL);
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      expect_state(state, type);
    }
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
  }
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      int state = omp_get_thread_num() % 2 ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
      expect_state(state, PTHREAD_CANCEL_DEFERRED);
      meet_and_move();
      expect_state(state, PTHREAD_CANCEL_DEFERRED);
    }
  }
}

/* A cleanup handler pushed in a member is its own while it moves. */
static void own_handlers(void) {
  int mine[most_members] = {0};
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    pthread_cleanup_push(clean, &mine[omp_get_thread_num()]);
    move_alone();
    pthread_cleanup_pop(1);
  }
  for (int i = 0; i < members; i++) expect_equal("handlers popped", mine[i], turns);
}

/* A thread that opened regions is cancelled between them, and another after it does as well. */
static void* open_regions(void* begun) {
  pthread_cleanup_push(clean, &cleaned);
#pragma omp parallel num_threads(members)
  meet_and_move();
  sem_post(begun);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return NULL;
}

static void of_roots(void) {
  store(&cleaned, 0);
  for (int turn = 0; turn < turns; turn++) {
    pthread_t thread;
    void* result = NULL;
    sem_t begun;
    sem_init(&begun, 0, 0);
    pthread_create(&thread, NULL, open_regions, &begun);
    sem_wait(&begun);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    expect_true("result of a cancelled root", result == PTHREAD_CANCELED);
    sem_destroy(&begun);
  }
  expect_equal("cleanup handlers of roots", load(&cleaned), turns);
}

int main(void) {
  begin_threads();
  pthread_key_create(&key, destroy);
  of_made_threads();
  own_state();
  own_handlers();
  of_roots();
  return expect_result();
}
