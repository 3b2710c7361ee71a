// Owns: read-write locks. libc's own words say who has one; fibers wait beside it: readers at the
// lock's address, writers at the next byte's, so that a release wakes all readers but one writer.
#include <pthread.h>

#include <cerrno>

#include "wait/libc.hpp"
#include "wait/waiting.hpp"

namespace xylem::wait {

namespace {

// glibc: bit 1 of __readers says that a writer has the lock, the bits from 3 on count the readers.
// Where that should not hold a wait ends late or too often, never wrongly: the lock decides.
constexpr unsigned writer_bit = 2;
constexpr unsigned readers_shift = 3;

const void* readers_address(const pthread_rwlock_t& lock) { return &lock; }
const void* writers_address(const pthread_rwlock_t& lock) {
  return reinterpret_cast<const char*>(&lock) + 1;
}

unsigned readers_of(const Wait& wait) {
  const auto* lock = static_cast<const pthread_rwlock_t*>(wait.object);
  return __atomic_load_n(&lock->__data.__readers, __ATOMIC_SEQ_CST);
}

uint32_t room_for_readers(const Wait& wait) {
  return (readers_of(wait) & writer_bit) == 0 ? everyone : 0;
}

uint32_t room_for_a_writer(const Wait& wait) {
  const unsigned readers = readers_of(wait);
  return (readers & writer_bit) == 0 && readers >> readers_shift == 0 ? 1 : 0;
}

int try_read(void* lock) { return libc().rwlock_tryrdlock(static_cast<pthread_rwlock_t*>(lock)); }
int try_write(void* lock) { return libc().rwlock_trywrlock(static_cast<pthread_rwlock_t*>(lock)); }

// It records its writer, so fibers must be threads to libc.
const Scheduler* scheduler_for(const pthread_rwlock_t& lock, const void* caller) {
  if (lock.__data.__shared != 0) return nullptr;
  const Scheduler* here = scheduler_of_fiber(caller);
  return here && here->own_identity() ? here : nullptr;
}

bool writes(const pthread_rwlock_t& lock) {
  return __atomic_load_n(&lock.__data.__cur_writer, __ATOMIC_RELAXED) == libc_thread_id();
}

// With a deadline: null, or `until` on `clock`.
int take(const Scheduler& scheduler, pthread_rwlock_t& lock, bool to_read, clockid_t clock,
         const timespec* until) {
  const Attempt attempt{to_read ? try_read : try_write, &lock, EBUSY};
  const int result = attempt.take(&lock);
  if (result != EBUSY) return result;
  if (until && !is_valid(*until)) return EINVAL;
  if (writes(lock)) return EDEADLK;
  const Wait reading{readers_address(lock), room_for_readers, &lock};
  const Wait writing{writers_address(lock), room_for_a_writer, &lock};
  return take_on_fiber(scheduler, to_read ? reading : writing, attempt,
                       until ? deadline_at(clock, *until) : no_deadline);
}

}  // namespace
}  // namespace xylem::wait

#pragma GCC visibility push(default)
extern "C" {

using namespace xylem::wait;

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  const Scheduler* here = scheduler_for(*lock, __builtin_return_address(0));
  return here ? take(*here, *lock, true, CLOCK_REALTIME, nullptr) : libc().rwlock_rdlock(lock);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  const Scheduler* here = scheduler_for(*lock, __builtin_return_address(0));
  return here ? take(*here, *lock, true, CLOCK_REALTIME, until)
              : libc().rwlock_timedrdlock(lock, until);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* until) noexcept {
  const Scheduler* here =
      is_known(clock) ? scheduler_for(*lock, __builtin_return_address(0)) : nullptr;
  return here ? take(*here, *lock, true, clock, until)
              : libc().rwlock_clockrdlock(lock, clock, until);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  const Scheduler* here = scheduler_for(*lock, __builtin_return_address(0));
  return here ? take(*here, *lock, false, CLOCK_REALTIME, nullptr) : libc().rwlock_wrlock(lock);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  const Scheduler* here = scheduler_for(*lock, __builtin_return_address(0));
  return here ? take(*here, *lock, false, CLOCK_REALTIME, until)
              : libc().rwlock_timedwrlock(lock, until);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* until) noexcept {
  const Scheduler* here =
      is_known(clock) ? scheduler_for(*lock, __builtin_return_address(0)) : nullptr;
  return here ? take(*here, *lock, false, clock, until)
              : libc().rwlock_clockwrlock(lock, clock, until);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  const bool shared = lock->__data.__shared != 0;  // read now: it may be gone once it is free
  const void* const readers = readers_address(*lock);
  const void* const writers = writers_address(*lock);
  const int result = libc().rwlock_unlock(lock);
  if (!shared) {
    wake(writers);
    wake(readers);
  }
  return result;
}
}
#pragma GCC visibility pop
