/* detach and omp_fulfill_event: the task completes only when its event is fulfilled, by itself, by
 * another task, by another member, or by a thread the program made; dependences, taskgroup
 * and taskwait wait for it. */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

static void by_itself(void) {
  int after = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 50; i++) {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(inout : after)
    omp_fulfill_event(event);
#pragma omp task depend(inout : after)
    after++;
  }
  expect_equal("tasks after self-fulfilled ones", after, 50);
}

static void by_another_task(void) {
  int stage = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 50; i++) {
    omp_event_handle_t event;
    int value = 0;
#pragma omp task detach(event) depend(out : value) shared(value)
    value = 1;
#pragma omp task firstprivate(event) shared(stage)
    {
      add_one(&stage);
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : value) firstprivate(i) shared(stage, value)
    {
      expect_equal("value after the detached task", value, 1);
      expect_between("events fulfilled by then", load(&stage), i + 1, 50);
    }
#pragma omp taskwait
  }
  expect_equal("fulfilled", stage, 50);
}

typedef struct Later {
  omp_event_handle_t event;
  int* flag;
} Later;

static void* fulfill_later(void* argument) {
  Later* later = argument;
  usleep(20000);
  store(later->flag, 1);
  omp_fulfill_event(later->event);
  return NULL;
}

static void by_a_program_thread(void) {
  int taskwait_flag = 0, group_flag = 0;
  int ran = 0;
  int* flags[] = {&taskwait_flag, &group_flag};
  pthread_t thread[2];
  Later later[2];
#pragma omp parallel num_threads(4)
  {
#pragma omp master
    {
      omp_event_handle_t event;
#pragma omp task detach(event)
      add_one(&ran);
      later[0] = (Later){event, flags[0]};
      pthread_create(&thread[0], NULL, fulfill_later, &later[0]);
#pragma omp taskwait
      expect_equal("fulfilled before taskwait ended", load(&taskwait_flag), 1);
#pragma omp taskgroup
      {
#pragma omp task detach(event)
        add_one(&ran);
        later[1] = (Later){event, flags[1]};
        pthread_create(&thread[1], NULL, fulfill_later, &later[1]);
      }
      expect_equal("fulfilled before taskgroup ended", load(&group_flag), 1);
    }
  }
  for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
  expect_equal("bodies of detached tasks", ran, 2);
}

static void before_it_runs(void) {
  int ran = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 50; i++) {
    omp_event_handle_t event;
#pragma omp task detach(event)
    add_one(&ran);
    omp_fulfill_event(event);
#pragma omp taskwait
    expect_equal("detached tasks run", load(&ran), i + 1);
  }
}

int main(void) {
  by_itself();
  by_another_task();
  by_a_program_thread();
  before_it_runs();
  return expect_result();
}
