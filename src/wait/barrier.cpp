// Owns: barriers of pthreads that one process uses, in which fibers and kernel threads meet.
//
// Named counters: tickets, all arrivals since the barrier was made; done, rounds that are complete;
// inside, threads that have not left pthread_barrier_wait().
// Invariant: the holder of ticket t waits for round t / count, which is complete once
// done > t / count. Who draws the last ticket of a round adds 1 to done. All tickets of a round are
// drawn before those of the next, so done may count rounds in whatever order their last ones come.
// The object is not touched by a thread that has left, so pthread_barrier_destroy() waits for
// inside == 0, as libc's does: the thread that is told so may destroy the barrier while the others
// are still leaving.
// No wake-up is lost: for fibers see waiting.hpp; a kernel thread adds itself to sleepers, then
// sleeps while done is what it saw; who changes done reads sleepers after that.
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <new>

#include "wait/libc.hpp"
#include "wait/waiting.hpp"

namespace xylem::wait {

namespace {

// In the place of libc's own.
struct Barrier {
  std::atomic<uint64_t> tickets{0};
  uint32_t done = 0;  // by __atomic functions: the kernel reads it too
  uint32_t count;
  std::atomic<uint32_t> inside{0};
  std::atomic<uint32_t> sleepers{0};
  uint64_t mark;  // tells it from libc's, which does not use this word
};
static_assert(sizeof(Barrier) <= sizeof(pthread_barrier_t));

uint64_t mark_of(const pthread_barrier_t* place) {
  return reinterpret_cast<uint64_t>(place) ^ 0x78796C656D776169u;
}

Barrier* ours(pthread_barrier_t* place) {
  auto* barrier = reinterpret_cast<Barrier*>(place);
  return barrier->mark == mark_of(place) ? barrier : nullptr;
}

uint32_t done(const Barrier& barrier) { return __atomic_load_n(&barrier.done, __ATOMIC_SEQ_CST); }

bool is_complete(const Barrier& barrier, uint32_t round) {
  return static_cast<int32_t>(done(barrier) - round) > 0;
}

uint32_t room_after_round(const Wait& wait) {
  return is_complete(*static_cast<const Barrier*>(wait.object), wait.value) ? everyone : 0;
}

void wait_as_fiber(const Scheduler& scheduler, const Barrier& barrier, uint32_t round) {
  const Wait wait{&barrier, room_after_round, &barrier, round, scheduler.ticks()};
  const Interest interest(&barrier);
  while (!is_complete(barrier, round)) scheduler.wait(wait, no_deadline);
}

void wait_as_kernel_thread(Barrier& barrier, uint32_t round) {
  barrier.sleepers.fetch_add(1);
  for (;;) {
    const uint32_t seen = done(barrier);
    if (static_cast<int32_t>(seen - round) > 0) break;
    scheduler()->sleep_in_kernel(&barrier.done, seen);
  }
  barrier.sleepers.fetch_sub(1);
}

void complete_round(Barrier& barrier) {
  __atomic_fetch_add(&barrier.done, 1, __ATOMIC_SEQ_CST);
  wake(&barrier);
  if (barrier.sleepers.load() > 0) scheduler()->wake_in_kernel(&barrier.done);
}

int meet(Barrier& barrier, const void* caller) {
  barrier.inside.fetch_add(1, std::memory_order_relaxed);  // relaxed: before the ticket
  const uint64_t ticket = barrier.tickets.fetch_add(1);
  const auto round = static_cast<uint32_t>(ticket / barrier.count);
  const bool last = ticket % barrier.count == barrier.count - 1;
  if (last) {
    complete_round(barrier);
  } else if (const Scheduler* here = scheduler_of_fiber(caller)) {
    wait_as_fiber(*here, barrier, round);
  } else {
    wait_as_kernel_thread(barrier, round);
  }
  barrier.inside.fetch_sub(1, std::memory_order_release);  // pairs with the acquire in destroy()
  return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

void destroy(Barrier& barrier) {
  while (barrier.inside.load(std::memory_order_acquire) > 0) {
    if (const Scheduler* here = scheduler_of_fiber(nullptr))
      here->yield();
    else
      libc().sched_yield();
  }
  barrier.mark = 0;
}

bool is_shared(const pthread_barrierattr_t* attributes) {
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes) pthread_barrierattr_getpshared(attributes, &shared);
  return shared != PTHREAD_PROCESS_PRIVATE;
}

}  // namespace
}  // namespace xylem::wait

#pragma GCC visibility push(default)
extern "C" {

using namespace xylem::wait;

int pthread_barrier_init(pthread_barrier_t* place, const pthread_barrierattr_t* attributes,
                         unsigned count) noexcept {
  auto* barrier = reinterpret_cast<Barrier*>(place);
  barrier->mark = 0;
  const int result = libc().barrier_init(place, attributes, count);  // it judges the arguments
  if (result != 0 || !scheduler() || is_shared(attributes)) return result;
  new (barrier) Barrier{.count = count, .mark = mark_of(place)};
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t* place) noexcept {
  Barrier* barrier = ours(place);
  if (!barrier) return libc().barrier_destroy(place);
  destroy(*barrier);
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t* place) noexcept {
  Barrier* barrier = ours(place);
  return barrier ? meet(*barrier, __builtin_return_address(0)) : libc().barrier_wait(place);
}
}
#pragma GCC visibility pop
