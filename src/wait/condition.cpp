// Owns: condition variables of pthreads and C11.
//
// A fiber that waits stands in a list of this library, not among libc's waiters. It is in the list
// before it unlocks the mutex, so a signal sent with the mutex held, or after it, finds it. A
// signal wakes one fiber and libc's one kernel thread, where there are such: one too many may wake,
// which POSIX allows and every caller of a condition variable must stand. A signal sent around this
// library (by a pointer into libc itself) does not reach the list; so a wait ends now and then
// without any, which POSIX allows, too.
//
// Invariant: a Waiter stands in a list, by the list's lock, while its state is 0. Who sets it to 1
// has taken it out, and does not touch it again: its frame may be gone.
#include "wait/condition.hpp"

#include <threads.h>

#include <cerrno>
#include <new>

#include "wait/c11.hpp"
#include "wait/libc.hpp"
#include "wait/mutex.hpp"
#include "wait/waiting.hpp"

namespace xylem::wait {

namespace {

struct Waiter {
  const pthread_cond_t* condition;
  Waiter* next = nullptr;
  Waiter* before = nullptr;
  // Written under the list's lock. Acquire in room_for(): pairs with the release in take_out().
  std::atomic<uint32_t> signalled{0};
};

class alignas(64) List {
 public:
  void add(Waiter& waiter) {
    lock();
    waiter.before = last_;
    (last_ ? last_->next : first_) = &waiter;
    last_ = &waiter;
    unlock();
  }

  // True if it still stood in the list.
  bool leave(Waiter& waiter) {
    lock();
    const bool stood = waiter.signalled.load(std::memory_order_relaxed) == 0;  // relaxed: the lock
    if (stood) take_out(waiter);
    unlock();
    return stood;
  }

  void signal(const pthread_cond_t* condition, bool all) {
    lock();
    for (Waiter* waiter = first_; waiter;) {
      Waiter* next = waiter->next;
      if (waiter->condition == condition) {
        take_out(*waiter);
        if (!all) break;
      }
      waiter = next;
    }
    unlock();
  }

 private:
  // Holders are quick; one that lost its processor gets it back.
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) libc().sched_yield();
  }
  void unlock() { held_.store(false, std::memory_order_release); }  // pairs with lock()

  void take_out(Waiter& waiter) {
    (waiter.before ? waiter.before->next : first_) = waiter.next;
    (waiter.next ? waiter.next->before : last_) = waiter.before;
    waiter.signalled.store(1, std::memory_order_release);
  }

  std::atomic<bool> held_{false};
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

constexpr int list_bits = 6;
constinit List lists[1 << list_bits];

List& list_of(const pthread_cond_t* condition) {
  const auto hash = reinterpret_cast<uint64_t>(condition) * 0x9E3779B97F4A7C15u;
  return lists[hash >> (64 - list_bits)];
}

uint32_t room_for(const Wait& wait) {
  const auto* waiter = static_cast<const Waiter*>(wait.object);
  return waiter->signalled.load(std::memory_order_acquire) != 0 ? everyone : 0;
}

// glibc: bit 0 of __wrefs says that processes share the condition, bit 1 that its clock is the
// monotonic one.
const Scheduler* scheduler_for(const pthread_cond_t& condition, const pthread_mutex_t& mutex,
                               const void* caller) {
  return (condition.__data.__wrefs & 1) != 0 ? nullptr : wait::scheduler_for(mutex, caller);
}

clockid_t clock_of(const pthread_cond_t& condition) {
  return (condition.__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int wait_on_fiber(const Scheduler& scheduler, const pthread_cond_t* condition,
                  pthread_mutex_t& mutex, int64_t deadline) {
  Waiter waiter{condition};
  const Wait wait{.address = condition,
                  .room = room_for,
                  .object = &waiter,
                  .called_at = scheduler.ticks(),
                  .alone = true};
  const Interest interest(condition);
  List& list = list_of(condition);
  list.add(waiter);
  if (const int error = unlock_and_wake(mutex, nullptr)) {
    list.leave(waiter);
    return error;
  }
  const bool in_time = scheduler.wait(wait, deadline);
  const bool unsignalled = room_for(wait) == 0 && list.leave(waiter);
  const int error = lock_on_fiber(scheduler, mutex, no_deadline);
  return error == 0 && unsignalled && !in_time ? ETIMEDOUT : error;
}

int timed_wait(const Scheduler& scheduler, pthread_cond_t* condition, pthread_mutex_t& mutex,
               clockid_t clock, const timespec& until) {
  if (!is_valid(until)) return EINVAL;
  return wait_on_fiber(scheduler, condition, mutex, deadline_at(clock, until));
}

// The fence in is_waited_for() is not needed here: a waiter is in the list before it unlocks the
// mutex, and who signals without the mutex may come too early for it in any order.
void signal_fibers(const pthread_cond_t* condition, bool all) {
  if (!has_interest(condition)) return;
  list_of(condition).signal(condition, all);
  wake(condition);
}

int wait_for(pthread_cond_t* condition, pthread_mutex_t* mutex, const void* caller) {
  const Scheduler* here = scheduler_for(*condition, *mutex, caller);
  return here ? wait_on_fiber(*here, condition, *mutex, no_deadline)
              : libc().cond_wait(condition, mutex);
}

int timed_wait_for(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until,
                   const void* caller) {
  const Scheduler* here = scheduler_for(*condition, *mutex, caller);
  return here ? timed_wait(*here, condition, *mutex, clock_of(*condition), *until)
              : libc().cond_timedwait(condition, mutex, until);
}

// glibc's cnd_t is a pthread_cond_t under another name.
pthread_cond_t* as_pthreads(cnd_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition);
}
pthread_mutex_t* as_pthreads(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }

}  // namespace

void forget_conditions() {
  for (List& list : lists) new (&list) List;
}

}  // namespace xylem::wait

#pragma GCC visibility push(default)
extern "C" {

using namespace xylem::wait;

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait_for(condition, mutex, __builtin_return_address(0));
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  return timed_wait_for(condition, mutex, until, __builtin_return_address(0));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  const Scheduler* here =
      is_known(clock) ? scheduler_for(*condition, *mutex, __builtin_return_address(0)) : nullptr;
  return here ? timed_wait(*here, condition, *mutex, clock, *until)
              : libc().cond_clockwait(condition, mutex, clock, until);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  signal_fibers(condition, false);
  return libc().cond_signal(condition);
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  signal_fibers(condition, true);
  return libc().cond_broadcast(condition);
}

int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return as_c11(wait_for(as_pthreads(condition), as_pthreads(mutex), __builtin_return_address(0)));
}

int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return as_c11(timed_wait_for(as_pthreads(condition), as_pthreads(mutex), until,
                               __builtin_return_address(0)));
}

int cnd_signal(cnd_t* condition) { return as_c11(pthread_cond_signal(as_pthreads(condition))); }

int cnd_broadcast(cnd_t* condition) {
  return as_c11(pthread_cond_broadcast(as_pthreads(condition)));
}
}
#pragma GCC visibility pop
