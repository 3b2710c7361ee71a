/* Passes a turn by a condition, all under one mutex: right, and ThreadSanitizer, which this program
 * is built with, is to see that. Nothing is shared but under the mutex, as the sanitizer knows
 * nothing of a runtime that is built without it. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

enum { members = 4, rounds = 50 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

int main(void) {
#pragma omp parallel num_threads(members)
  for (int i = 0; i < rounds; i++) {
    pthread_mutex_lock(&mutex);
    while (turn % members != omp_get_thread_num()) pthread_cond_wait(&changed, &mutex);
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_lock(&mutex);
  printf("%d turns\n", turn);
  const int right = turn == members * rounds;
  pthread_mutex_unlock(&mutex);
  return right ? 0 : 1;
}
