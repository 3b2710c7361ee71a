/* Members that meet in what pthreads offers: pthread_barrier_t, a condition variable, a semaphore,
 * a mutex held across a sleep, and a join of a thread they made. */
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "expect.h"

static void meet_in_a_barrier(int members) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)members);
  int arrived = 0;
  int serial = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 1; turn <= 10; turn++) {
    add_one(&arrived);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) add_one(&serial);
    expect_equal("arrived at the pthread barrier", load(&arrived), members * turn);
    pthread_barrier_wait(&barrier);
  }
  expect_equal("serial threads", serial, 10);
  pthread_barrier_destroy(&barrier);
}

static void wait_on_a_condition(int members) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  int turn = members - 1;
#pragma omp parallel num_threads(members)
  {
    pthread_mutex_lock(&mutex);
    while (turn != omp_get_thread_num()) pthread_cond_wait(&changed, &mutex);
    turn--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  expect_equal("turn handed down by a condition", turn, -1);
}

static void wait_on_semaphores(int members) {
  sem_t ready[16];
  for (int i = 0; i < members; i++) sem_init(&ready[i], 0, 0);
  int passed = 0;
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    if (me < members - 1) sem_wait(&ready[me + 1]);
    add_one(&passed);
    sem_post(&ready[me]);
  }
  expect_equal("members past their semaphore", passed, members);
  for (int i = 0; i < members; i++) sem_destroy(&ready[i]);
}

static void mutex_across_sleep(int members) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int inside = 0;
#pragma omp parallel num_threads(members)
  {
    pthread_mutex_lock(&mutex);
    expect_equal("holders of the mutex", add_one(&inside), 1);
    usleep(2000);
    store(&inside, 0);
    pthread_mutex_unlock(&mutex);
  }
}

static void* count_up(void* counter) {
  add_one(counter);
  return NULL;
}

static void make_and_join(int members) {
  int counter = 0;
#pragma omp parallel num_threads(members)
  {
    pthread_t thread;
    pthread_create(&thread, NULL, count_up, &counter);
    pthread_join(thread, NULL);
  }
  expect_equal("threads made and joined", counter, members);
}

int main(void) {
  for (int members = 8; members <= 16; members += 8) {
    meet_in_a_barrier(members);
    wait_on_a_condition(members);
    wait_on_semaphores(members);
    mutex_across_sleep(members);
    make_and_join(members);
  }
  return expect_result();
}
