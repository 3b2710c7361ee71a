/* A handler for fork() that was registered before the runtime's runs with the runtime's locks held:
 * on one side before the fork, on both sides after it. It may wait for a mutex that another member
 * has, and give it back to members that wait for it. */
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { forks = 40, holds_us = 300, pauses_us = 300 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock_it(void) { pthread_mutex_lock(&mutex); }
static void unlock_it(void) { pthread_mutex_unlock(&mutex); }
static void register_handlers(int count, char** words, char** variables) {
  (void)count, (void)words, (void)variables;
  pthread_atfork(lock_it, unlock_it, unlock_it);
}
/* Before the constructors of all libraries. */
__attribute__((section(".preinit_array"),
               used)) static void (*const first)(int, char**, char**) = register_handlers;

static void fork_once(void) {
  const pid_t child = fork();
  if (child == 0) {
    lock_it();
    unlock_it();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect_equal("the child's status", status, 0);
}

int main(void) {
  int done = 0;
#pragma omp parallel num_threads(8) shared(done)
  if (omp_get_thread_num() == 0) {
    for (int i = 0; i < forks; i++) fork_once();
    store(&done, 1);
  } else {
    while (!load(&done)) {
      lock_it();
      usleep(holds_us);
      unlock_it();
      usleep(pauses_us); /* a mutex is not fair */
    }
  }
  return expect_result();
}
