/* Two roots. The external thread in the seat of processor 0 waits and has nothing to run; on
 * another processor a thread of the second root's team wakes one that waited there, and computes
 * on. Somebody who may run the woken thread is to be woken, not the external thread of processor 0.
 * The time slice is too long for the monitor to help.
 *
 * Both workers' processors take the part of the busy one in turn, as only the last processor's
 * neighbour is processor 0. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

enum { rounds = 8 };

static int thread_id(void) { return (int)syscall(SYS_gettid); }

/* Spins until the kernel thread sleeps: it has found nothing to do. */
static void await_sleep(int tid) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
  for (;;) {
    FILE* file = fopen(path, "r");
    if (!file) return;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    const char* name_end = strrchr(text, ')');
    if (name_end && name_end[1] && name_end[2] == 'S') return;
  }
}

static int first_root; /* its kernel thread */
static int other;      /* the worker's kernel thread that is to be free, 0: not known yet */
static int occupied, freed, awaited, woken;
static omp_event_handle_t event, end_of_first; /* the first is there when it is awaited */

/* Keeps a worker from the others until they stand on the other one. */
static void occupy(void) {
  other = thread_id();
  store(&occupied, 1);
  while (!load(&freed)) continue;
}

static void wait_for_the_event(void) {
  omp_event_handle_t here;
#pragma omp task detach(here)
  {
    event = here;
    store(&awaited, 1);
  }
#pragma omp taskwait
  store(&woken, 1);
}

static void wake_and_compute(void) {
  while (!load(&occupied)) continue;
  store(&freed, 1);
  await_sleep(other);
  await_sleep(first_root);
  while (!load(&awaited)) continue;
  omp_fulfill_event(event);
  while (!load(&woken)) continue;
}

static int lock, arrivals, has_occupant, has_waiter; /* by the lock */

/* Who is what depends on which worker each comes to; the last to come is what is left. */
static void take_part(int occupied_tid) {
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) continue;
  const int last = ++arrivals == 3;
  const int there = occupied_tid == 0 || thread_id() == occupied_tid || last;
  void (*part)(void) = wake_and_compute;
  if (!has_occupant && there) {
    part = occupy;
    has_occupant = 1;
  } else if (!has_waiter) {
    part = wait_for_the_event;
    has_waiter = 1;
  }
  if (last) arrivals = has_occupant = has_waiter = 0;
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  part();
}

static void* second_root(void* unused) {
  int tids[2] = {0, 0};
  for (int round = 0; round < rounds; round++) {
    store(&occupied, 0), store(&freed, 0), store(&awaited, 0), store(&woken, 0);
    const int occupied_tid = round < 2 ? 0 : tids[round % 2];
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() > 0) {
      if (occupied_tid == 0 && round == 0)
        __atomic_store_n(&tids[0], thread_id(), __ATOMIC_RELAXED);
      if (round == 1 && thread_id() != tids[0])
        __atomic_store_n(&tids[1], thread_id(), __ATOMIC_RELAXED);
      take_part(occupied_tid);
    }
    expect_equal("the thread that was woken ran", woken, 1);
  }
  omp_fulfill_event(end_of_first);
  return unused;
}

int main(void) {
  first_root = thread_id();
  pthread_t second;
#pragma omp parallel num_threads(2)
#pragma omp masked
  {
    omp_event_handle_t finish;
#pragma omp task detach(finish)
    {
      end_of_first = finish;
      pthread_create(&second, NULL, second_root, NULL);
    }
#pragma omp taskwait
  }
  pthread_join(second, NULL);
  return expect_result();
}
