/* Detached tasks that cancellation discards, before they start or before they are made, and whose
 * events are fulfilled all the same: by a thread of the program, later, by a member, or at once.
 * Nothing waits for a discarded task's event, and fulfilling it has no effect. Registered with
 * OMP_CANCELLATION=true. Stock libgomp 12 uses freed memory here, and hands out no event for a task
 * that is discarded when it is made. */
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

enum { tasks = 40 };

enum { before_the_end, beside_the_end, after_the_end };  // when the events are fulfilled

static omp_event_handle_t events[tasks];
static int go, over, ran;

/* Memory that a discarded task left behind is used again meanwhile. */
static void reuse_memory(void) {
  void* blocks[64];
  for (int i = 0; i < 64; i++) {
    blocks[i] = malloc(64 + 16 * (size_t)i);
    if (blocks[i]) memset(blocks[i], 0x5a, 64 + 16 * (size_t)i);
  }
  for (int i = 0; i < 64; i++) free(blocks[i]);
}

static void* fulfill_all(void* unused) {
  while (!load(&go)) usleep(50);
  reuse_memory();
  for (int i = 0; i < tasks; i++) omp_fulfill_event(events[i]);
  return unused;
}

static void fulfill_from(int a_thread) {
  pthread_t thread;
  store(&go, 1);
  if (a_thread && pthread_create(&thread, NULL, fulfill_all, NULL) == 0) {
    pthread_join(thread, NULL);
  } else {
    fulfill_all(NULL);
  }
}

static void make_tasks(void) {
  for (int i = 0; i < tasks; i++) {
    omp_event_handle_t event;
#pragma omp task detach(event)
    add_one(&ran);
    events[i] = event;
  }
}

/* A taskgroup of which no task can start: the other members do not come to run any. */
static void a_group(int when, int a_thread) {
  pthread_t thread;
  if (when == beside_the_end) pthread_create(&thread, NULL, fulfill_all, NULL);
#pragma omp taskgroup
  {
    make_tasks();
#pragma omp task if (0)
    {
#pragma omp cancel taskgroup
    }
    if (when == before_the_end) fulfill_from(a_thread);
    if (when == beside_the_end) store(&go, 1);
  }
  if (when == after_the_end) fulfill_from(a_thread);
  if (when == beside_the_end) pthread_join(thread, NULL);
}

static void in_a_taskgroup(int members, int when, int a_thread) {
  ran = go = over = 0;
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() == 0) {
      a_group(when, a_thread);
      store(&over, 1);
    }
    while (!load(&over)) usleep(50);
  }
  expect_equal("tasks of a cancelled group that ran", ran, 0);
}

/* Tasks that are made when their group is cancelled already. */
static void made_too_late(int members) {
  ran = go = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task if (0)
    {
#pragma omp cancel taskgroup
    } make_tasks();
    fulfill_from(0);
  }
  expect_equal("tasks made in a cancelled group that ran", ran, 0);
}

/* Member 0 cancels the region with the tasks in the queue. The others come to no place where they
 * could run them before. */
static void in_a_region(int members, int a_thread) {
  ran = go = 0;
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() == 0) {
      make_tasks();
#pragma omp cancel parallel
    }
    for (;;) {
#pragma omp cancellation point parallel
      usleep(50);
    }
  }
  fulfill_from(a_thread);
  expect_equal("tasks of a cancelled region that ran", ran, 0);
}

int main(void) {
  expect_equal("omp_get_cancellation", omp_get_cancellation(), 1);
  for (int turn = 0; turn < 4; turn++) {
    for (int members = 1; members <= 5; members += 2) {
      made_too_late(members);
      if (members == 1) continue;  // it runs its tasks as it makes them
      for (int a_thread = 0; a_thread <= 1; a_thread++) {
        for (int when = before_the_end; when <= after_the_end; when++) {
          in_a_taskgroup(members, when, a_thread);
        }
        in_a_region(members, a_thread);
      }
    }
  }
  return expect_result();
}
