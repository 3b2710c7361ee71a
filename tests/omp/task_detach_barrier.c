/* A detached task whose event a thread of the program fulfils while the whole team already waits in
 * a barrier, and at the end of the region: the wait ends then, not before and not never.
 * Stock runtimes are weak here: GCC 12's libgomp hangs, LLVM 14's asserts for a team of one. */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

static int fulfilled;

static void* fulfill_later(void* event) {
  usleep(20000);
  store(&fulfilled, 1);
  omp_fulfill_event(*(omp_event_handle_t*)event);
  return NULL;
}

static void at_a_barrier(int members) {
  int ran = 0;
  omp_event_handle_t kept;
  pthread_t thread;
  store(&fulfilled, 0);
#pragma omp parallel num_threads(members)
  {
#pragma omp master
    {
      omp_event_handle_t event;
#pragma omp task detach(event)
      add_one(&ran);
      kept = event;
      pthread_create(&thread, NULL, fulfill_later, &kept);
    }
#pragma omp barrier
    expect_equal("fulfilled before the barrier ended", load(&fulfilled), 1);
    expect_equal("the detached task ran", load(&ran), 1);
  }
  pthread_join(thread, NULL);
}

static void at_the_end(int members) {
  int ran = 0;
  omp_event_handle_t kept;
  pthread_t thread;
  store(&fulfilled, 0);
#pragma omp parallel num_threads(members)
#pragma omp master
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    add_one(&ran);
    kept = event;
    pthread_create(&thread, NULL, fulfill_later, &kept);
  }
  expect_equal("fulfilled before the region ended", load(&fulfilled), 1);
  expect_equal("the detached task ran", ran, 1);
  pthread_join(thread, NULL);
}

int main(void) {
  for (int members = 1; members <= 16; members += 5) {
    at_a_barrier(members);
    at_the_end(members);
  }
  return expect_result();
}
