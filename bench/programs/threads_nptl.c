/* NPTL's side of threads.h. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

static double now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void check(int error, const char* what) {
  if (error == 0) return;
  fprintf(stderr, "threads: %s failed with error %d\n", what, error);
  exit(1);
}

static void start(pthread_t* thread, void* (*body)(void*), void* argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  check(pthread_create(thread, &attributes, body, argument), "pthread_create");
  pthread_attr_destroy(&attributes);
}

/* --- making threads --- */

typedef struct {
  double creating, whole;
} spent;

static void* nothing(void* unused) { return unused; }

static spent make_and_join(long count, void* (*body)(void*), void* argument) {
  static pthread_t made[bench_threads];
  spent sum = {0, 0};
  for (long done = 0; done < count; done += bench_threads) {
    const double begin = now_ns(CLOCK_MONOTONIC), used = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < bench_threads; i++) start(&made[i], body, argument);
    sum.creating += now_ns(CLOCK_THREAD_CPUTIME_ID) - used;
    for (int i = 0; i < bench_threads; i++) check(pthread_join(made[i], NULL), "pthread_join");
    sum.whole += now_ns(CLOCK_MONOTONIC) - begin;
  }
  return sum;
}

double bench_nptl_creation(long count) { return make_and_join(count, nothing, NULL).creating; }
double bench_nptl_execution(long count) {
  const spent sum = make_and_join(count, nothing, NULL);
  return sum.whole - sum.creating;
}
double bench_nptl_creation_execution(long count) {
  return make_and_join(count, nothing, NULL).whole;
}

static void* meet_all(void* barrier) {
  pthread_barrier_wait(barrier);
  return NULL;
}
double bench_nptl_blocking(long count) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, bench_threads);
  const double took = make_and_join(count, meet_all, &barrier).whole;
  pthread_barrier_destroy(&barrier);
  return took;
}

/* --- switching --- */

double bench_nptl_schedule(long count) {
  for (long i = 0; i < count; i++) sched_yield();
  return 0;
}

static void two_threads(void* (*body)(void*), void* first, void* second) {
  pthread_t threads[2];
  start(&threads[0], body, first);
  start(&threads[1], body, second);
  for (int i = 0; i < 2; i++) check(pthread_join(threads[i], NULL), "pthread_join");
}

static void* yield_often(void* times) {
  for (long i = 0; i < *(long*)times; i++) sched_yield();
  return NULL;
}
double bench_nptl_switch(long count) {
  long each = count / 2;
  two_threads(yield_often, &each, &each);
  return 0;
}

typedef struct {
  _Atomic uint32_t* turn;
  uint32_t me;
  long times;
} player;

static void* play(void* raw) {
  const player* self = raw;
  for (long i = 0; i < self->times; i++) {
    uint32_t seen;
    while ((seen = atomic_load(self->turn)) != self->me)
      syscall(SYS_futex, self->turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    atomic_store(self->turn, 1 - self->me);
    syscall(SYS_futex, self->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
  return NULL;
}
double bench_nptl_hand_over(long count) {
  _Atomic uint32_t turn = 0;
  player first = {&turn, 0, count / 2}, second = {&turn, 1, count / 2};
  two_threads(play, &first, &second);
  return 0;
}

/* --- migration --- */

static cpu_set_t allowed;

/* The process's first or second processor. */
static cpu_set_t processor(int number) {
  static int known;
  if (!known) check(sched_getaffinity(0, sizeof allowed, &allowed), "sched_getaffinity");
  known = 1;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &allowed) || number-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return one;
  }
  fputs("threads: migration needs two processors\n", stderr);
  exit(1);
}

static void put(pthread_t thread, const cpu_set_t* where) {
  check(pthread_setaffinity_np(thread, sizeof *where, where), "pthread_setaffinity_np");
}

static void* sleep_until_posted(void* semaphore) {
  while (sem_wait(semaphore) != 0) {
  }
  return NULL;
}
double bench_nptl_order_inactive(long count) {
  static pthread_t sleepers[bench_sleepers];
  const cpu_set_t places[2] = {processor(0), processor(1)};
  sem_t over;
  sem_init(&over, 0, 0);
  for (int i = 0; i < bench_sleepers; i++) start(&sleepers[i], sleep_until_posted, &over);
  usleep(2000); /* until all of them sleep */
  const double begin = now_ns(CLOCK_MONOTONIC);
  for (long i = 0; i < count; i++)
    put(sleepers[i % bench_sleepers], &places[i / bench_sleepers % 2]);
  const double took = now_ns(CLOCK_MONOTONIC) - begin;
  for (int i = 0; i < bench_sleepers; i++) sem_post(&over);
  for (int i = 0; i < bench_sleepers; i++) check(pthread_join(sleepers[i], NULL), "pthread_join");
  sem_destroy(&over);
  return took;
}

/* Runs until it finds itself on the asker's processor; there it sleeps at once, so that the asker
 * need not wait for a processor. */
typedef struct {
  atomic_long turns;
  atomic_int over;
  int away_from;
  sem_t go;
} runner;

static void* run_until_over(void* raw) {
  runner* self = raw;
  while (!atomic_load(&self->over)) {
    if (sched_getcpu() == self->away_from) sleep_until_posted(&self->go);
    atomic_fetch_add(&self->turns, 1);
  }
  return NULL;
}

/* Until the thread runs there. */
static void send(pthread_t thread, const cpu_set_t* there, runner* active) {
  put(thread, there);
  sem_post(&active->go);
  const long before = atomic_load(&active->turns);
  while (atomic_load(&active->turns) < before + 2) {
  }
}

double bench_nptl_order_active(long count) {
  const cpu_set_t here = processor(0), there = processor(1);
  put(pthread_self(), &here);
  static runner active;
  active = (runner){.away_from = sched_getcpu()};
  sem_init(&active.go, 0, 0);
  pthread_t thread;
  double took = 0;
  start(&thread, run_until_over, &active);
  for (long i = 0; i < count; i++) {
    send(thread, &there, &active);
    const double begin = now_ns(CLOCK_MONOTONIC);
    put(thread, &here);
    took += now_ns(CLOCK_MONOTONIC) - begin;
  }
  atomic_store(&active.over, 1);
  sem_post(&active.go);
  check(pthread_join(thread, NULL), "pthread_join");
  sem_destroy(&active.go);
  put(pthread_self(), &allowed);
  return took;
}

double bench_nptl_migration_latency(long count) {
  const cpu_set_t places[2] = {processor(0), processor(1)};
  for (long i = 0; i < count; i++) put(pthread_self(), &places[i % 2]);
  put(pthread_self(), &allowed);
  return 0;
}
