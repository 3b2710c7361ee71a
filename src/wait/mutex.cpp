// Owns: mutexes of pthreads and C11. libc's own word says who has one; fibers wait beside it. See
// mutex.hpp; waiting.hpp has the proof that no wake-up is lost.
#include "wait/mutex.hpp"

#include <threads.h>

#include <cerrno>

#include "wait/c11.hpp"
#include "wait/libc.hpp"

namespace xylem::wait {

namespace {

// glibc's kinds: the type in the low bits; robust 16, inherit 32, protect 64, shared 128.
constexpr int type_bits = 3;
constexpr int special_bits = 16 | 32 | 64 | 128;

bool is_special(const pthread_mutex_t& mutex) { return (mutex.__data.__kind & special_bits) != 0; }

bool knows_owner(const pthread_mutex_t& mutex) {
  const int type = mutex.__data.__kind & type_bits;
  return type == PTHREAD_MUTEX_RECURSIVE_NP || type == PTHREAD_MUTEX_ERRORCHECK_NP;
}

uint32_t room_in_mutex(const Wait& wait) {
  const auto* mutex = static_cast<const pthread_mutex_t*>(wait.object);
  if (must_queue(wait)) return 0;
  return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_SEQ_CST) == 0 ? 1 : 0;
}

int try_lock(void* mutex) { return libc().mutex_trylock(static_cast<pthread_mutex_t*>(mutex)); }

// trylock says only that the mutex is taken.
bool is_own(const pthread_mutex_t& mutex) {
  return (mutex.__data.__kind & type_bits) == PTHREAD_MUTEX_ERRORCHECK_NP &&
         __atomic_load_n(&mutex.__data.__owner, __ATOMIC_RELAXED) == libc_thread_id();
}

// The owner of a recursive mutex need not queue.
int try_first(pthread_mutex_t& mutex) {
  return is_starved(&mutex) && !knows_owner(mutex) ? EBUSY : libc().mutex_trylock(&mutex);
}

int lock_until(pthread_mutex_t& mutex, clockid_t clock, const timespec& until,
               const Scheduler& scheduler) {
  const int result = try_first(mutex);
  if (result != EBUSY) return result;
  if (!is_valid(until)) return EINVAL;
  return lock_on_fiber(scheduler, mutex, deadline_at(clock, until));
}

}  // namespace

const Scheduler* scheduler_for(const pthread_mutex_t& mutex, const void* caller) {
  const Scheduler* here = scheduler_of_fiber(caller);
  if (!here || is_special(mutex)) return nullptr;
  return knows_owner(mutex) && !here->own_identity() ? nullptr : here;
}

int lock_on_fiber(const Scheduler& scheduler, pthread_mutex_t& mutex, int64_t deadline) {
  const int result = try_first(mutex);
  if (result != EBUSY) return result;
  if (is_own(mutex)) return EDEADLK;
  const Wait wait{.address = &mutex, .room = room_in_mutex, .object = &mutex, .in_turn = true};
  return take_on_fiber(scheduler, wait, {try_lock, &mutex, EBUSY}, deadline);
}

// Nobody waits here for an allocator's mutexes, and who unlocks one may hold the scheduler's locks.
int unlock_and_wake(pthread_mutex_t& mutex, const void* caller) {
  const bool special = is_special(mutex);  // read now: another may destroy it once it is free
  const int result = libc().mutex_unlock(&mutex);
  if (!special && !is_allocator(caller)) wake(&mutex);
  return result;
}

namespace {

int lock(pthread_mutex_t* mutex, const void* caller) {
  const Scheduler* here = scheduler_for(*mutex, caller);
  return here ? lock_on_fiber(*here, *mutex, no_deadline) : libc().mutex_lock(mutex);
}

int timed_lock(pthread_mutex_t* mutex, const timespec* until, const void* caller) {
  const Scheduler* here = scheduler_for(*mutex, caller);
  return here ? lock_until(*mutex, CLOCK_REALTIME, *until, *here)
              : libc().mutex_timedlock(mutex, until);
}

// glibc's mtx_t is a pthread_mutex_t under another name.
pthread_mutex_t* as_pthreads(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }

}  // namespace
}  // namespace xylem::wait

#pragma GCC visibility push(default)
extern "C" {

using namespace xylem::wait;

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  return lock(mutex, __builtin_return_address(0));
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  return timed_lock(mutex, until, __builtin_return_address(0));
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* until) noexcept {
  const Scheduler* here =
      is_known(clock) ? scheduler_for(*mutex, __builtin_return_address(0)) : nullptr;
  return here ? lock_until(*mutex, clock, *until, *here)
              : libc().mutex_clocklock(mutex, clock, until);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  return unlock_and_wake(*mutex, __builtin_return_address(0));
}

int mtx_lock(mtx_t* mutex) { return as_c11(lock(as_pthreads(mutex), __builtin_return_address(0))); }

int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  return as_c11(timed_lock(as_pthreads(mutex), until, __builtin_return_address(0)));
}

int mtx_unlock(mtx_t* mutex) {
  return as_c11(unlock_and_wake(*as_pthreads(mutex), __builtin_return_address(0)));
}
}
#pragma GCC visibility pop
