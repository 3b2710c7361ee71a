/* pthread_getspecific and pthread_self: values and identities are each OpenMP thread's own, over
 * barriers and from region to region, though the program has no thread-local variables. */
#include <omp.h>
#include <pthread.h>
#include <stdint.h>

#include "expect.h"

enum { members = 16, keys = 40 };

static pthread_key_t key[keys];

static void own_values(void) {
#pragma omp parallel num_threads(members)
  {
    intptr_t me = omp_get_thread_num();
    for (int k = 0; k < keys; k++) pthread_setspecific(key[k], (void*)(1000 * k + me + 1));
    for (int turn = 0; turn < 20; turn++) {
#pragma omp barrier
      for (int k = 0; k < keys; k++) {
        expect_equal("pthread_getspecific", (intptr_t)pthread_getspecific(key[k]),
                     1000 * k + me + 1);
      }
    }
  }
}

static void kept_values(void) {
#pragma omp parallel num_threads(members)
  expect_equal("value in the next region", (intptr_t)pthread_getspecific(key[3]),
               3000 + omp_get_thread_num() + 1);
}

static void own_identity(void) {
  pthread_t self[members];
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    self[me] = pthread_self();
#pragma omp barrier
    expect_true("pthread_self is steady", pthread_equal(self[me], pthread_self()));
    for (int other = 0; other < me; other++) {
      expect_true("pthread_self differs", !pthread_equal(self[me], self[other]));
    }
#pragma omp barrier
  }
}

int main(void) {
  for (int k = 0; k < keys; k++) pthread_key_create(&key[k], NULL);
  own_values();
  kept_values();
  own_identity();
  return expect_result();
}
