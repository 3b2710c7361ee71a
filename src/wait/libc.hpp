// Owns: the functions of libc (or of whoever else comes after this library) behind those that this
// library defines.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

namespace xylem::wait {

struct Libc {
  decltype(::sched_yield)* sched_yield;
  decltype(::nanosleep)* nanosleep;
  decltype(::clock_nanosleep)* clock_nanosleep;
  int (*usleep)(unsigned microseconds);
  unsigned (*sleep)(unsigned seconds);
  decltype(::thrd_sleep)* thrd_sleep;
  decltype(::pthread_mutex_lock)* mutex_lock;
  decltype(::pthread_mutex_trylock)* mutex_trylock;
  decltype(::pthread_mutex_timedlock)* mutex_timedlock;
  decltype(::pthread_mutex_clocklock)* mutex_clocklock;
  decltype(::pthread_mutex_unlock)* mutex_unlock;
  decltype(::pthread_cond_wait)* cond_wait;
  decltype(::pthread_cond_timedwait)* cond_timedwait;
  decltype(::pthread_cond_clockwait)* cond_clockwait;
  decltype(::pthread_cond_signal)* cond_signal;
  decltype(::pthread_cond_broadcast)* cond_broadcast;
  decltype(::pthread_barrier_init)* barrier_init;
  decltype(::pthread_barrier_destroy)* barrier_destroy;
  decltype(::pthread_barrier_wait)* barrier_wait;
  decltype(::sem_wait)* sem_wait;
  decltype(::sem_trywait)* sem_trywait;
  decltype(::sem_timedwait)* sem_timedwait;
  decltype(::sem_clockwait)* sem_clockwait;
  decltype(::sem_post)* sem_post;
  decltype(::pthread_rwlock_rdlock)* rwlock_rdlock;
  decltype(::pthread_rwlock_tryrdlock)* rwlock_tryrdlock;
  decltype(::pthread_rwlock_timedrdlock)* rwlock_timedrdlock;
  decltype(::pthread_rwlock_clockrdlock)* rwlock_clockrdlock;
  decltype(::pthread_rwlock_wrlock)* rwlock_wrlock;
  decltype(::pthread_rwlock_trywrlock)* rwlock_trywrlock;
  decltype(::pthread_rwlock_timedwrlock)* rwlock_timedwrlock;
  decltype(::pthread_rwlock_clockwrlock)* rwlock_clockwrlock;
  decltype(::pthread_rwlock_unlock)* rwlock_unlock;
};

// Looked up at the first call, which may come before this library's constructor.
const Libc& libc();

// Whether the address is in the code of a module that allocates memory for the process in libc's
// place.
bool is_allocator(const void* code);

// The thread id that libc has for the caller, as its locks record it.
int libc_thread_id();

}  // namespace xylem::wait
