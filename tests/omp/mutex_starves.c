/* A member that sleeps with a mutex, and takes it again as soon as it has given it back, leaves it
 * to the others now and then: the program ends when each has had it some times. */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

enum { members = 8, times = 5, sleeps_us = 300 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int satisfied;

int main(void) {
#pragma omp parallel num_threads(members)
  for (int had = 0; load(&satisfied) < members;) {
    expect_equal("locked", pthread_mutex_lock(&mutex), 0);
    usleep(sleeps_us);
    if (++had == times) add_one(&satisfied);
    expect_equal("unlocked", pthread_mutex_unlock(&mutex), 0);
  }
  return expect_result();
}
