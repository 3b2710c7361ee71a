/* What the runtime does in a forked child before fork() returns there calls no malloc. */
#include <omp.h>
#include <pthread.h>

#include "fork_calls.h"

static void use_tasks_and_teams(void) {
  int ran = 0;
#pragma omp parallel num_threads(4) shared(ran)
#pragma omp parallel num_threads(3) shared(ran)
#pragma omp single
  for (int i = 0; i < 10; i++)
#pragma omp task shared(ran)
    add_one(&ran);
  expect_equal("tasks", ran, 40);
}

static void* fork_from_thread(void* nothing) {
  fork_once("calls of malloc in a child of a thread without regions");
  use_tasks_and_teams();
  fork_once("calls of malloc in a thread's child");
  return nothing;
}

int main(void) {
  fork_once("calls of malloc before the first region");
  for (int turn = 0; turn < 3; turn++) {
    use_tasks_and_teams();
    fork_once("calls of malloc in a child");
  }
#pragma omp parallel num_threads(4)
#pragma omp critical
  fork_once("calls of malloc in a member's child");
  pthread_t thread;
  expect_equal("pthread_create", pthread_create(&thread, NULL, fork_from_thread, NULL), 0);
  pthread_join(thread, NULL);
  return expect_result();
}
