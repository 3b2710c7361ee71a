// Owns: semaphores.
//
// sem_post() must be right in a signal handler that has interrupted anything, a holder of the
// scheduler's locks too: it adds to libc's own value and asks for a wake-up soon, without a lock.
#include <semaphore.h>

#include <cerrno>

#include "wait/libc.hpp"
#include "wait/waiting.hpp"

namespace xylem::wait {

namespace {

// glibc's layout on 64-bit machines: the value, the kernel threads that wait, and whether processes
// share it (0: they do not). sem_open()'s are shared.
struct Words {
  uint32_t value;
  uint32_t kernel_waiters;
  int32_t shared;
};

const Words& words_of(const sem_t& semaphore) { return reinterpret_cast<const Words&>(semaphore); }

const Scheduler* scheduler_for(const sem_t& semaphore, const void* caller) {
  return words_of(semaphore).shared != 0 ? nullptr : scheduler_of_fiber(caller);
}

uint32_t room_in_semaphore(const Wait& wait) {
  const auto* semaphore = static_cast<const sem_t*>(wait.object);
  return __atomic_load_n(&words_of(*semaphore).value, __ATOMIC_SEQ_CST);
}

// errno is reached in functions of their own: its address must not be kept while a fiber waits,
// which may go on on another kernel thread.
[[gnu::noinline]] int try_wait(void* semaphore) {
  const int before = errno;
  const bool taken = libc().sem_trywait(static_cast<sem_t*>(semaphore)) == 0;
  const int error = taken ? 0 : errno;
  errno = before;
  return error;
}

[[gnu::noinline]] int answer(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int wait_on_fiber(const Scheduler& scheduler, sem_t* semaphore, int64_t deadline) {
  return take_on_fiber(scheduler, {semaphore, room_in_semaphore, semaphore},
                       {try_wait, semaphore, EAGAIN}, deadline);
}

int timed_wait(const Scheduler& scheduler, sem_t* semaphore, clockid_t clock,
               const timespec& until) {
  const int error = try_wait(semaphore);
  if (error != EAGAIN) return error;
  if (!is_valid(until)) return EINVAL;
  return wait_on_fiber(scheduler, semaphore, deadline_at(clock, until));
}

}  // namespace
}  // namespace xylem::wait

#pragma GCC visibility push(default)
extern "C" {

using namespace xylem::wait;

int sem_wait(sem_t* semaphore) {
  const Scheduler* here = scheduler_for(*semaphore, __builtin_return_address(0));
  return here ? answer(wait_on_fiber(*here, semaphore, no_deadline)) : libc().sem_wait(semaphore);
}

int sem_timedwait(sem_t* semaphore, const timespec* until) {
  const Scheduler* here = scheduler_for(*semaphore, __builtin_return_address(0));
  return here ? answer(timed_wait(*here, semaphore, CLOCK_REALTIME, *until))
              : libc().sem_timedwait(semaphore, until);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  const Scheduler* here =
      is_known(clock) ? scheduler_for(*semaphore, __builtin_return_address(0)) : nullptr;
  return here ? answer(timed_wait(*here, semaphore, clock, *until))
              : libc().sem_clockwait(semaphore, clock, until);
}

int sem_post(sem_t* semaphore) noexcept {
  const bool shared = words_of(*semaphore).shared != 0;  // read now: it may be gone after the post
  const int result = libc().sem_post(semaphore);
  if (!shared) wake_soon(semaphore);
  return result;
}
}
#pragma GCC visibility pop
